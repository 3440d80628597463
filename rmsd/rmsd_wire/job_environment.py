"""Variables of jobs that daemon, agents and clients set alike. Standard library only."""

from __future__ import annotations

GPU_VARIABLES = ("CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL")
"""The variables by which the runtimes of NVIDIA's and AMD's GPUs know which they may use."""
LOGIN_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""The PATH of programs to which nobody gives another one."""
