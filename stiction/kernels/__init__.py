"""The compiled core: functions on arrays, one source for CPU and CUDA."""
