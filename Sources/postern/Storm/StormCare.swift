import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayRuntime

/// Care for systems of others: which hosts a storm may hit. This machine's own need nothing; any other, a colleague's staging
/// gateway for instance, is named by whoever has the leave of those who run it.
struct StormCare {
  /// Hosts that are not this machine, each once, by the flag that named it first.
  private let others: [(host: String, flag: String)]

  /// Services that many share: nobody who uses them can give leave.
  private static let shared =
    ["ably.io", "pusher.com", "supabase.co"] + Vendors.all.flatMap { $0.clients.serviceDomains }

  /// - Parameter targets: Whom the storm connects to, and the flags that say so.
  init(_ targets: [(target: DialTarget, flag: String)]) {
    var others: [(host: String, flag: String)] = []
    for (target, flag) in targets {
      let host = Self.plain(target.host)
      if !Self.isThisMachine(host), !others.contains(where: { Name($0.host) == Name(host) }) {
        others.append((host, flag))
      }
    }
    self.others = others
  }

  /// Refuses a host that nobody has given leave for: each is to be named by itself, by `--i-may-storm`, or one of a shared
  /// service by `--with-leave-of`.
  func check(_ arguments: Arguments) throws {
    let (mine, theirs) = (Self.named(arguments, "i-may-storm"), Self.named(arguments, "with-leave-of"))
    for (host, flag) in others where !theirs.contains(Name(host)) {
      if let service = Self.shared.first(where: { host == $0 || host.hasSuffix(".\($0)") }) {
        throw UsageError(
          "\(flag): \(host) belongs to a service that many share (\(service)): a storm hits them all; with the leave of "
            + "those who run it, say --with-leave-of \(host)")
      }
      guard mine.contains(Name(host)) else {
        throw UsageError(
          "\(flag): \(host) is not this machine: whoever runs it has to know of a storm; if they do, say --i-may-storm \(host)"
        )
      }
    }
  }

  /// What a storm of others' systems does if nobody says more: what suits a laptop hurts a small staging system.
  func hold(_ plan: inout StormPlan, _ arguments: Arguments) {
    guard !others.isEmpty else { return }
    if arguments.value("rate") == nil { plan.rate = min(plan.rate, 50) }
    if arguments.value("fetches") == nil { plan.fetches = min(plan.fetches, 50) }
    if arguments.value("timeout") == nil { plan.bound = plan.bound ?? 600 }
  }

  private static func named(_ arguments: Arguments, _ flag: String) -> Set<Name> {
    Set(arguments.strings(flag).map { Name(plain($0)) })
  }

  /// As it is compared: case says nothing (RFC 4343), nor does the dot of the root.
  private static func plain(_ host: String) -> String {
    let host = String(decoding: host.utf8.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    return host.hasSuffix(".") ? String(host.dropLast()) : host
  }

  /// Whether it is the loopback, by address or by the name that is kept for it (RFC 6761 section 6.3).
  private static func isThisMachine(_ host: String) -> Bool {
    Name(host) == "localhost" || host.utf8.reversed().starts(with: ".localhost".utf8.reversed())
      || IPAddress(host)?.isLoopback == true
  }
}
