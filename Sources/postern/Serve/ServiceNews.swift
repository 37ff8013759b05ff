import GatewayCore

/// News for a service manager, in its words.
///
/// <https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html>
enum ServiceNews: Equatable {
  /// The gateway takes clients; after `reloading`, again.
  case ready(status: String)
  /// A certificate is read anew, from this time since the boot on.
  case reloading(since: Duration)
  /// The gateway drains, and is gone within so long.
  case stopping(within: Duration)
  /// The loops answer.
  case alive

  var text: String {
    switch self {
    case .ready(let status): "READY=1\nSTATUS=\(status)"
    case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(Self.microseconds(time))"
    case .stopping(let time): "STOPPING=1\nSTATUS=Draining\nEXTEND_TIMEOUT_USEC=\(Self.microseconds(time))"
    case .alive: "WATCHDOG=1"
    }
  }

  /// Whether another of it comes soon, so that nobody need wait until the manager takes this one.
  var mayBeLost: Bool { self == .alive }

  private static func microseconds(_ time: Duration) -> Int64 {
    let (seconds, rest) = time.components
    return Int64(clamping: Int128(seconds) * 1_000_000 + Int128(rest / 1_000_000_000_000))
  }
}
