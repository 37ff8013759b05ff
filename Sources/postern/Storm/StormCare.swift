import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayReport
import GatewayRuntime
import GatewayServer

/// Care for systems of others: the hosts that a storm may load.
///
/// This machine needs no permission; any other host is named by a user who has the permission of its operators.
struct StormCare {
  /// Hosts that are not this machine, each once, by the flag that named it first.
  private let others: [(host: String, flag: String)]
  /// Names below `.localhost`, which mean this machine (RFC 6761 section 6.3) whatever a name service says.
  private let locals: [String]

  /// Services that many share: nobody who uses them can give leave.
  private static let shared =
    ["ably.io", "pusher.com", "supabase.co"] + Vendors.all.flatMap { $0.clients.serviceDomains }

  /// - Parameter targets: The storm's targets, and the flags that name them.
  init(_ targets: [(target: DialTarget, flag: String)]) {
    var others: [(host: String, flag: String)] = []
    var locals: [String] = []
    for (target, flag) in targets {
      let host = PinnedHost.plain(target.host)
      if host.utf8.reversed().starts(with: ".localhost".utf8.reversed()) { locals.append(host) }
      if !Self.isThisMachine(host), !others.contains(where: { Name($0.host) == Name(host) }) {
        others.append((host, flag))
      }
    }
    self.others = others
    self.locals = locals
  }

  /// Whether anything that it hits is not this machine.
  var isOfOthers: Bool { !others.isEmpty }

  /// Looks every host up that is not this machine, once.
  func pin() throws -> [PinnedHost] {
    let here = locals.map { PinnedHost(host: $0, addresses: ["127.0.0.1", "::1"]) }
    return try here
      + others.map { host, flag in
        do {
          return PinnedHost(host: host, addresses: try NameService.addresses(of: host))
        } catch {
          throw UsageError("\(flag): \(error)")
        }
      }
  }

  /// When the storm ends itself: as it is told, or for others' systems by the usual rules.
  func stopRules(_ arguments: Arguments) throws -> [StopRule] {
    let texts = arguments.strings("stop-when")
    guard !texts.isEmpty else { return isOfOthers ? StopRule.usual : [] }
    if texts == ["never"] { return [] }
    do {
      return try texts.map { try StopRule(parsing: $0) }
    } catch let error as ThresholdError {
      throw UsageError("--stop-when: \(error)")
    }
  }

  /// Returns the mark of all outgoing requests; nil if only this machine receives them and no mark is asked for.
  func mark(_ arguments: Arguments, run: String) throws -> StormMark? {
    guard try arguments.isOn("unmarked") else { return StormMark(agent: "postern-storm/\(Version.number)", run: run) }
    guard let (host, _) = others.first else { return nil }
    throw UsageError("--unmarked is for this machine: whoever runs \(host) is to see by whom it is hit")
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

  /// Applies the defaults for systems of others: a load that suits a laptop hurts a small staging system.
  func hold(_ plan: inout StormPlan, _ arguments: Arguments) throws {
    guard !others.isEmpty else { return }
    if arguments.value("rate") == nil { plan.rate = min(plan.rate, 50) }
    if arguments.value("fetches") == nil { plan.fetches = min(plan.fetches, 50) }
    if try arguments.value("fetch-rate") == nil && !arguments.isOn("mint") { plan.fetchRate = 50 }
    if arguments.value("timeout") == nil { plan.bound = plan.bound ?? 600 }
  }

  /// Has all processes together make no more requests at once than one would, unless more is asked for.
  func share(_ plan: inout StormPlan, _ arguments: Arguments) {
    guard !others.isEmpty, arguments.value("fetches") == nil else { return }
    plan.fetches = max(1, plan.fetches / plan.processes)
  }

  private static func named(_ arguments: Arguments, _ flag: String) -> Set<Name> {
    Set(arguments.strings(flag).map { Name(PinnedHost.plain($0)) })
  }

  /// Whether it is the loopback, by address or by the name that is kept for it (RFC 6761 section 6.3).
  private static func isThisMachine(_ host: String) -> Bool {
    Name(host) == "localhost" || host.utf8.reversed().starts(with: ".localhost".utf8.reversed())
      || IPAddress(host)?.isLoopback == true
  }
}
