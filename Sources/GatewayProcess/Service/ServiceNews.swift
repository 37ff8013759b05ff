internal import GatewayCore

/// News for a service manager, in the format of sd_notify(3).
///
/// <https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html>
enum ServiceNews: Equatable {
  /// The gateway accepts clients; also sent after `reloading`.
  case ready(status: String)
  /// A certificate is reloaded, starting at this time since boot.
  case reloading(since: Duration)
  /// The gateway drains, and ends within this time.
  case stopping(within: Duration)
  /// The loops respond.
  case alive

  var text: String {
    switch self {
    case .ready(let status): "READY=1\nSTATUS=\(status)"
    case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(Self.microseconds(time))"
    case .stopping(let time): "STOPPING=1\nSTATUS=Draining\nEXTEND_TIMEOUT_USEC=\(Self.microseconds(time))"
    case .alive: "WATCHDOG=1"
    }
  }

  /// Whether the next one follows soon, so that the gateway does not wait until the manager accepts this one.
  var mayBeLost: Bool { self == .alive }

  private static func microseconds(_ time: Duration) -> Int64 {
    let (seconds, rest) = time.components
    return Int64(clamping: Int128(seconds) * 1_000_000 + Int128(rest / 1_000_000_000_000))
  }
}
