"""What all actors of a dictionary know."""

from dataclasses import dataclass, field

NAMESPACE = "gpu_lsm"


@dataclass(frozen=True)
class Config:
    """How a dictionary on a cluster is run.

    `history` is the number of the last batches as of which shards can answer. Batches wait while `bytes_in_flight` have
    not reached all shards. A shard fetches up to `pull_bytes` at a time. `settings`, `batch_size`, `byte_budget` and
    `checkpoint_bytes` are those of the stores.
    """

    name: str
    url: str
    settings: dict[str, str] = field(default_factory=dict, repr=False)
    history: int = 64
    bytes_in_flight: int = 256 << 20
    pull_bytes: int = 32 << 20
    batch_size: int | None = None
    byte_budget: int | None = None
    checkpoint_bytes: int = 256 << 20

    @property
    def log_name(self) -> str:
        """The name of the log's actor."""
        return f"{self.name}/log"

    def actor_name(self, shard: str) -> str:
        """The name of a shard's actor and of its placement group."""
        return f"{self.name}/{shard}"
