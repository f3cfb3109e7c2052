"""How shards on many machines agree. It knows no Ray: `gpu_lsm.ray` is what runs it."""
