internal import GatewayCore
internal import GatewayJSON

/// The values that a rule took from a message.
struct Taken {
  private(set) var life: Duration?
  private(set) var wait: Duration?
  private(set) var retry: Duration?
  /// The message's name in the report.
  let label: String

  /// A life of a thousand years, in seconds; longer ones are invalid.
  private static let longest = 31_557_600_000.0

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
    for taking in rule.taking {
      guard let value = found(taking.pointer) else { continue }
      switch taking.place {
      case .slot(let slot): if memory.taken.indices.contains(slot) { memory.taken[slot] = String(value.prefix(1024)) }
      case .meaning(let meaning): note(meaning, value, at: client.now)
      }
    }
  }

  private mutating func note(_ meaning: WireRule.Meaning, _ value: String, at now: WallTime) {
    guard let number = Double(value), number.isFinite else { return }
    func seconds(_ seconds: Double) -> Duration? {
      (0...Self.longest).contains(seconds) ? .saturating(seconds: seconds) : nil
    }
    let nowSeconds = Double(now.nanoseconds) / 1e9
    switch meaning {
    case .lifeSeconds: life = seconds(number)
    case .lifeMilliseconds: life = seconds(number / 1000)
    case .endSeconds: life = seconds(max(0, number - nowSeconds))
    case .endMilliseconds: life = seconds(max(0, number / 1000 - nowSeconds))
    case .waitMilliseconds: wait = seconds(number / 1000)
    case .retrySeconds: retry = seconds(number)
    case .retryMilliseconds: retry = seconds(number / 1000)
    }
  }
}
