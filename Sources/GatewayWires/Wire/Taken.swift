internal import GatewayCore
internal import GatewayJSON

/// The values that a rule took from a message.
struct Taken {
  private(set) var life: Duration?
  private(set) var wait: Duration?
  private(set) var retry: Duration?
  /// The token that the gateway pushes; nil if there is none, or none that can be one.
  private(set) var token: String?
  /// The message's name in the report.
  let label: String

  init(_ rule: WireRule, from text: WireText, into memory: ClientMemory, of client: ClientIdentity) {
    let prefix = rule.condition.prefix.count
    func found(_ pointer: JSONPointer) -> String? {
      text.find(pointer, behind: prefix, unpacking: rule.unpack)?.scalarText
    }
    // A gateway may repeat the token that it refuses, and a report must not show one.
    func label(_ text: String) -> String {
      ReportLabel.cleaned(HoleFilter.hiding(client.token?.token ?? "", in: text, behind: "token"))
    }
    switch rule.label {
    case .pointer(let pointer): self.label = found(pointer).map { label($0) } ?? rule.verdict.rawValue
    case .text: self.label = label(String(decoding: text.bytes.prefix(8192), as: UTF8.self))
    case .word(let word): self.label = word
    case nil: self.label = rule.verdict.rawValue
    }
    token = rule.token(in: text)
    for taking in rule.taking {
      guard let value = found(taking.pointer) else { continue }
      switch taking.place {
      case .slot(let slot): if memory.taken.indices.contains(slot) { memory.taken[slot] = String(value.prefix(1024)) }
      case .meaning(let meaning): note(meaning, value, at: client.now)
      case .token: break
      }
    }
  }

  private mutating func note(_ meaning: WireRule.Meaning, _ value: String, at now: WallTime) {
    guard let duration = meaning.duration(of: value, at: now) else { return }
    switch meaning {
    case .lifeSeconds, .lifeMilliseconds, .endSeconds, .endMilliseconds: life = duration
    case .waitMilliseconds: wait = duration
    case .retrySeconds, .retryMilliseconds: retry = duration
    case .nextURL: break
    }
  }
}

extension WireRule {
  /// Returns the token that the gateway pushes in a message; nil if there is none, or none that can be one.
  func token(in text: WireText) -> String? {
    guard let taking = taking.first(where: { $0.place == .token }) else { return nil }
    return text.find(taking.pointer, behind: condition.prefix.count, unpacking: unpack)?.string.flatMap {
      WireRequest.isToken($0) ? $0 : nil
    }
  }
}

extension WireRule.Meaning {
  /// Whether it tells the life of a token.
  var isOfLife: Bool {
    switch self {
    case .lifeSeconds, .lifeMilliseconds, .endSeconds, .endMilliseconds: true
    case .waitMilliseconds, .retrySeconds, .retryMilliseconds, .nextURL: false
    }
  }

  /// A life of a thousand years, in seconds; longer ones are invalid.
  private static let longest = 31_557_600_000.0

  /// Returns the time from `now` that the value tells; nil for no number and for one out of range.
  func duration(of value: String, at now: WallTime) -> Duration? {
    guard let number = Double(value), number.isFinite else { return nil }
    let nowSeconds = Double(now.nanoseconds) / 1e9
    let seconds =
      switch self {
      case .lifeSeconds, .retrySeconds: number
      case .lifeMilliseconds, .waitMilliseconds, .retryMilliseconds: number / 1000
      case .endSeconds: max(0, number - nowSeconds)
      case .endMilliseconds: max(0, number / 1000 - nowSeconds)
      case .nextURL: -1.0
      }
    return (0...Self.longest).contains(seconds) ? .saturating(seconds: seconds) : nil
  }
}
