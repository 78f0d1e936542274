"""How work meets the machine: what is in use, where the time goes."""

from .profile import Profile, profile
from .report import DeviceReport, device_report
