import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayReport
import GatewayRuntime
import GatewayServer

/// The check which hosts a storm may hit. This machine needs no permission. The user must name any other host, with its
/// operator's consent.
struct StormCare {
  /// Hosts other than this machine, each once, with the flag that named it first.
  private let others: [(host: String, flag: String)]
  /// Names below `.localhost`, which mean this machine (RFC 6761 section 6.3) whatever a name service returns.
  private let locals: [String]

  /// Shared services, whose users cannot give consent.
  private static let shared =
    ["ably.io", "pusher.com", "supabase.co"] + Vendors.all.flatMap { $0.clients.serviceDomains }

  /// Collects the hosts.
  ///
  /// - Parameter targets: The targets of the storm, with the flags that name them.
  init(_ targets: [(target: DialTarget, flag: String)]) {
    var others: [(host: String, flag: String)] = []
    var locals: [String] = []
    for (target, flag) in targets {
      let host = PinnedHost.plain(target.host)
      if PinnedHost.isBelowLocalhost(host) { locals.append(host) }
      if !PinnedHost.isThisMachine(host), !others.contains(where: { Name($0.host) == Name(host) }) {
        others.append((host, flag))
      }
    }
    self.others = others
    self.locals = locals
  }

  /// Whether the storm hits any host other than this machine.
  var isOfOthers: Bool { !others.isEmpty }

  /// Resolves each host other than this machine once.
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

  /// Returns the rules that end the storm: the flags' rules, or the usual ones against other hosts.
  ///
  /// - Parameter texts: The rules of the flags.
  func stopRules(_ texts: [String]) throws -> [StopRule] {
    guard !texts.isEmpty else { return isOfOthers ? StopRule.usual : [] }
    if texts == ["never"] { return [] }
    do {
      return try texts.map { try StopRule(parsing: $0) }
    } catch let error as ThresholdError {
      throw UsageError("--stop-when: \(error)")
    }
  }

  /// Returns the mark on all requests. Returns nil if the flags switch it off, which is allowed on this machine only.
  func mark(isUnmarked: Bool, run: String) throws -> StormMark? {
    guard isUnmarked else { return StormMark(agent: "postern-storm/\(Version.number)", run: run) }
    guard let (host, _) = others.first else { return nil }
    throw UsageError(
      "--unmarked is for this machine only: the owners of \(host) must see which storm hits it; leave it out")
  }

  /// Rejects a host without consent. Each host must be named by `--i-may-storm`, and a host of a shared service by
  /// `--with-leave-of`.
  func check(_ draft: StormDraft) throws {
    let (mine, theirs) = (Self.names(of: draft.informed), Self.names(of: draft.consenting))
    for (host, flag) in others where !theirs.contains(Name(host)) {
      if let service = Self.shared.first(where: { host == $0 || host.hasSuffix(".\($0)") }) {
        throw UsageError(
          "\(flag): \(host) belongs to a service that many share (\(service)): a storm hits them all; with the leave of "
            + "those who run it, say --with-leave-of \(host)")
      }
      guard mine.contains(Name(host)) else {
        throw UsageError(
          "\(flag): \(host) is not this machine: its owners must know of a storm; if they do, add --i-may-storm \(host)"
        )
      }
    }
  }

  /// Applies lower limits against other hosts unless the flags set them: usual limits for a laptop could harm a small staging
  /// system.
  func hold(_ plan: inout StormPlan, _ draft: StormDraft) {
    guard !others.isEmpty else { return }
    if draft.rate == nil { plan.rate = min(plan.rate, 50) }
    if draft.fetches == nil { plan.fetches = min(plan.fetches, 50) }
    if draft.fetchRate == nil && !draft.mints { plan.fetchRate = 50 }
    if draft.timeout == nil { plan.bound = 600 }
  }

  /// Divides the requests at once among the processes, unless the flags set their number.
  func share(_ plan: inout StormPlan, _ draft: StormDraft) {
    guard !others.isEmpty, draft.fetches == nil else { return }
    plan.fetches = max(1, plan.fetches / plan.processes)
  }

  private static func names(of hosts: [Arguments.Value]) -> Set<Name> {
    Set(hosts.map { Name(PinnedHost.plain($0.text)) })
  }
}
