"""ENV-010: NCCL's variables."""

import re
from collections.abc import Iterator

from rewarp.findings import Phase, Severity
from rewarp.lang.document import Document, EnvSet
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.env._shapes import ENV_KINDS
from rewarp.targets import Context

_NVLINK = re.compile(r"NCCL_(NVLS.*|NVB.*|MNNVL.*|COLLNET.*|SHARP.*)")
_NAME = re.compile(r"(TORCH_)?NCCL_[A-Z0-9_]+")
_SUFFIXES = (
    "DEBUG DEBUG_SUBSYS DEBUG_FILE SOCKET_IFNAME SOCKET_FAMILY SOCKET_NTHREADS NSOCKS_PERTHREAD IB_HCA IB_DISABLE "
    "IB_GID_INDEX IB_TIMEOUT IB_RETRY_CNT IB_TC IB_SL IB_CUDA_SUPPORT IB_QPS_PER_CONNECTION IB_AR_THRESHOLD IB_PKEY "
    "IB_ADAPTIVE_ROUTING IB_PCI_RELAXED_ORDERING IB_SPLIT_DATA_ON_QPS IB_ROCE_VERSION_NUM IB_MERGE_NICS NET NET_PLUGIN "
    "NET_GDR_LEVEL NET_GDR_READ NET_SHARED_BUFFERS P2P_DISABLE P2P_LEVEL P2P_DIRECT_DISABLE P2P_PXN_LEVEL "
    "P2P_NET_CHUNKSIZE SHM_DISABLE ALGO PROTO BUFFSIZE NTHREADS MIN_NCHANNELS MAX_NCHANNELS MIN_CTAS MAX_CTAS "
    "MAX_P2P_NCHANNELS MIN_P2P_NCHANNELS CROSS_NIC TOPO_FILE TOPO_DUMP_FILE GRAPH_FILE GRAPH_DUMP_FILE TUNER_PLUGIN "
    "TUNER_CONFIG_PATH LAUNCH_MODE LAUNCH_ORDER_IMPLICIT COMM_ID COMM_BLOCKING CHECKS_DISABLE CHECK_POINTERS "
    "IGNORE_CPU_AFFINITY DMABUF_ENABLE GDRCOPY_ENABLE GDR_READ IGNORE_DISABLED_P2P RAS_ENABLE SET_STACK_SIZE "
    "SET_THREAD_NAME TREE_THRESHOLD CONF_FILE HOSTID OOB_NET_ENABLE PXN_DISABLE ASYNC_ERROR_HANDLING BLOCKING_WAIT "
    "DESYNC_DEBUG TIMEOUT USE_COMM_NONBLOCKING HIGH_PRIORITY ENABLE_MONITORING HEARTBEAT_TIMEOUT_SEC TRACE_BUFFER_SIZE "
    "DUMP_ON_TIMEOUT AVOID_RECORD_STREAMS NVLS_ENABLE NVLS_NCHANNELS NVLS_CHUNKSIZE NVB_DISABLE MNNVL_ENABLE "
    "COLLNET_ENABLE COLLNET_NODE_THRESHOLD CUMEM_ENABLE CUMEM_HOST_ENABLE WORK_FIFO_DEPTH GRAPH_MIXING_SUPPORT "
    "GRAPH_REGISTER LOCAL_REGISTER"
).split()


def _without_meaning(item: EnvSet) -> bool:
    return bool(_NVLINK.fullmatch(item.name)) or (item.name == "NCCL_P2P_LEVEL" and item.value == "NVL")


@rule(
    id="ENV-010",
    title="NCCL is configured by variables",
    kinds=ENV_KINDS,
    anchors=[prefix + suffix for suffix in _SUFFIXES for prefix in ("NCCL_", "TORCH_NCCL_")],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.WORKS,
        why="RCCL goes by the same NCCL_* names. Those about NVLink, NVLS and SHARP have no meaning on AMD.",
        fix="Keep them; drop the ones about NVLink on ROCm.",
    ),
    gaudi=Impact(
        Severity.INFO,
        why="Gaudi's collectives are HCCL, which has variables of its own, HCCL_*.",
        fix="Set the HCCL_* variables that serve the same end.",
    ),
    example="export NCCL_DEBUG=INFO",
    source="https://github.com/ROCm/rccl",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for NCCL_* and TORCH_NCCL_* variables being set; those about NVLink, NVLS and SHARP inform."""
    for item in document.env_sets:
        if not _NAME.fullmatch(item.name):
            continue
        if context.target.name == "gaudi":
            yield Hit(item, f"{item.name} is set, which HCCL does not read", item.name)
        elif _without_meaning(item):
            value = f"={item.value}" if item.name == "NCCL_P2P_LEVEL" else ""
            message = f"{item.name}{value} is about NVIDIA's interconnect"
            yield Hit(item, message, item.name, Severity.INFO, f"Leave {item.name} out on ROCm.")
        else:
            reader = "torch" if item.name.startswith("TORCH_") else "RCCL"
            yield Hit(item, f"{item.name} is set, and {reader} reads it on ROCm", item.name)
