"""How work meets the machine: what is in use, where the time goes."""

from .report import DeviceReport, device_report
