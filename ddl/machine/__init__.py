"""How work meets the machine: what is in use, where the time goes, in how many bits it multiplies."""

from .precision import LossScaler, mixed_precision
from .profile import Profile, profile
from .report import DeviceReport, device_report
