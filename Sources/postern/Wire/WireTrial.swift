import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayProcess
import GatewayWires
import Glibc

/// A storm of one client, which prints the messages, e.g. `← /hear/2 logged_in {"type":"connected"}`.
struct WireTrial {
  private var options: StormOptions
  private let wire: WireDescription

  /// The default duration in seconds.
  private static let usualLength = 15.0

  init(_ draft: StormDraft, _ arguments: Arguments) throws {
    options = try StormOptions(draft, arguments)
    options.plan.clients = 1
    options.plan.arrivals = nil
    options.plan.processes = 1
    options.plan.loops = 1
    if draft.expiry == nil && draft.expireAfter == nil { options.plan.expiry = .own }
    options.plan.bound = options.plan.bound ?? Self.usualLength
    guard let dialect = options.dialect as? DescribedClientDialect else {
      throw UsageError("--wire is needed: a FILE, or a NAME of postern wire list")
    }
    wire = dialect.wire
    options.dialect = dialect.watched { Output.line(Self.text($0)) }
    if case .endpoint(let endpoint as DescribedTokenEndpoint, let places) = options.tokens {
      options.tokens = .endpoint(endpoint.watched { Output.line(Self.text($0)) }, places: places)
    }
  }

  /// Plays the client. Returns 0 if it logged in and understood every message.
  func run() async throws -> Int32 {
    Output.line(wire.outline)
    if let tokens = options.described { Output.line(tokens.outline) }
    if wire.showsTokenInAddress {
      Output.line("the token stands in the address: gateways and proxies write it into their logs")
    }
    let storm = try await LocalStorm.start(options, part: nil) { _ in }
    let signals = SignalStream([SIGINT, SIGTERM])
    let watch = Task { for await _ in signals { storm.interrupt() } }
    defer { watch.cancel() }
    let result = await storm.run()
    for line in Self.summary(result) { Output.line(line) }
    return result.connects.accepted > 0 && result.errors["unmatched"] == 0 ? 0 : 1
  }

  static func text(_ sight: WireSight) -> String {
    switch sight {
    case .dialled(let target): "→ GET \(target)"
    case .askedAhead(let words): "→ \(words)"
    case .answeredAhead(let status, nil): "← \(status)"
    case .answeredAhead(let status, let name?): "! \(status), but nothing to take as '\(name)'"
    case .said(let message, let text): "→ \(message)  \(text)"
    case .unsaid(let message, let error): "! \(message) could not be said: \(error)"
    case .heard(let text, let rule, let verdict): "← \(rule) \(verdict)  \(text)"
    case .unmatched(let text, let phase): "← no rule takes this while \(phase.rawValue)  \(text)"
    case .ended(nil, _): "← the end, without a close frame"
    case .ended(let code?, let text): "← close \(code)\(text.isEmpty ? "" : "  \(text)")"
    }
  }

  static func text(_ sight: TokenSight) -> String {
    switch sight {
    case .asked(let title): "→ \(title)"
    case .answered(let status, let words): "← \(status) \(words)"
    case .unanswered(let words): "! \(words)"
    }
  }

  private static func summary(_ result: StormResult) -> [String] {
    func list(_ reasons: Reasons) -> String {
      reasons.sorted.map { $0.count == 1 ? $0.reason : "\($0.reason) \($0.count) times" }.joined(separator: ", ")
    }
    var lines = ["logged in \(result.connects.accepted) times, renewed \(result.refreshes.accepted) times"]
    if result.connects.failed.total > 0 { lines.append("not let in: \(list(result.connects.failed))") }
    if result.returns.refused.total > 0 { lines.append("refused: \(list(result.returns.refused))") }
    if result.returns.failed.total > 0 { lines.append("failed: \(list(result.returns.failed))") }
    if result.refreshes.refused.total > 0 { lines.append("renewal refused: \(list(result.refreshes.refused))") }
    if result.provider.refused.total > 0 { lines.append("no token: \(list(result.provider.refused))") }
    if result.disconnects.total > 0 { lines.append("ended: \(list(result.disconnects))") }
    if result.errors.total > 0 { lines.append("errors: \(list(result.errors))") }
    return lines + result.tokens.sentences.sorted { $0.key < $1.key }.map(\.value)
  }
}
