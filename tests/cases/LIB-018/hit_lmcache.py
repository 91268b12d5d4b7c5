from lmcache.config import LMCacheEngineConfig
from lmcache.v1.cache_engine import LMCacheEngineBuilder

config = LMCacheEngineConfig.from_env()
# output
1 info: from lmcache.config import LMCacheEngineConfig
