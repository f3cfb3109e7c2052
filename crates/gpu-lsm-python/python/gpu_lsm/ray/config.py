"""What all actors of a dictionary know."""

from dataclasses import dataclass, field

from ..options import MOST_SECONDS, check_if_given, check_seconds, check_whole
from ..store import WriteOptions

NAMESPACE = "gpu_lsm"


@dataclass(frozen=True)
class Config:
    """How a dictionary on a cluster is run.

    `history` is the number of the last batches as of which shards can answer. Batches wait while `bytes_in_flight` have
    not reached all shards. A shard fetches up to `pull_bytes` at a time. `settings`, `batch_size`, `byte_budget` and
    `checkpoint_bytes` are those of the stores; the last one bounds what a part replays when it comes back.

    A shard writes what it applies every `group_seconds`: each record costs a request, then and when it is replayed.
    Nobody waits for that, since the log has the batches.
    """

    name: str
    url: str
    settings: dict[str, str] = field(default_factory=dict, repr=False)
    history: int = 64
    bytes_in_flight: int = 256 << 20
    pull_bytes: int = 32 << 20
    batch_size: int | None = None
    byte_budget: int | None = None
    checkpoint_bytes: int = 8 << 20
    group_seconds: float = 0.2

    def __post_init__(self) -> None:
        check_whole(1, history=self.history, bytes_in_flight=self.bytes_in_flight, pull_bytes=self.pull_bytes)
        check_whole(checkpoint_bytes=self.checkpoint_bytes)
        check_if_given(1, batch_size=self.batch_size)
        check_if_given(byte_budget=self.byte_budget)
        check_seconds(MOST_SECONDS, group_seconds=self.group_seconds)

    @property
    def log_name(self) -> str:
        """The name of the log's actor."""
        return f"{self.name}/log"

    @property
    def log_options(self) -> WriteOptions:
        """How the log's store is written."""
        return WriteOptions(checkpoint_bytes=self.checkpoint_bytes)

    @property
    def shard_options(self) -> WriteOptions:
        """How a shard's store is written: one record at a time, because batches are sent alone beside another one."""
        return WriteOptions(
            checkpoint_bytes=self.checkpoint_bytes,
            group_bytes=self.pull_bytes,
            group_seconds=self.group_seconds,
            in_flight_records=1,
        )

    def actor_name(self, shard: str) -> str:
        """The name of a shard's actor and of its placement group."""
        return f"{self.name}/{shard}"
