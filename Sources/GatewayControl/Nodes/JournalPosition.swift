internal import GatewayCore

/// The place in the journals of several nodes at which a reader continues, e.g. `0.3:412,1.0:77`.
///
/// It has the number of the last line that is known, for each life of a process.
struct JournalPosition: Hashable, Sendable {
  /// The largest integer that JavaScript's numbers represent exactly.
  static let numberMax: UInt64 = (1 << 53) - 1
  private static let textMax = 4_096

  private(set) var numbers: [NodeBoot: UInt64] = [:]

  /// The place before every line.
  init() {}

  /// Reads the text of ``text``; nil for any other.
  init?(_ text: String) {
    guard text.utf8.count <= Self.textMax else { return nil }
    if text.utf8.elementsEqual("0".utf8) { return }
    for entry in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let parts = entry.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      let life = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      guard life.count == 2, let node = Self.number(life[0]), node < UInt64(NodeBoot.nodes),
        let boot = Self.number(life[1]), boot < UInt64(NodeBoot.boots), let number = Self.number(parts[1]),
        numbers.updateValue(number, forKey: NodeBoot(node: Int(node), boot: Int(boot))) == nil
      else { return nil }
    }
  }

  /// The lines behind this one of that life are not known; 0 if none is known.
  subscript(life: NodeBoot) -> UInt64 {
    get { numbers[life] ?? 0 }
    set { numbers[life] = newValue }
  }

  /// The same place in the journals of these lives. The lines of other lives are gone.
  func kept(for lives: some Collection<NodeBoot>) -> JournalPosition {
    var kept = JournalPosition()
    for life in lives { kept.numbers[life] = numbers[life] }
    return kept
  }

  /// Returns whether it is at the place `other` or behind it, in every journal.
  func hasReached(_ other: JournalPosition) -> Bool { other.numbers.allSatisfy { self[$0.key] >= $0.value } }

  var text: String {
    let entries = numbers.sorted { ($0.key.node, $0.key.boot) < ($1.key.node, $1.key.boot) }
    return entries.isEmpty ? "0" : entries.map { "\($0.key):\($0.value)" }.joined(separator: ",")
  }

  /// Returns the number of the last known line of one journal: the text of a number, or of a place in the journals of several
  /// nodes, among them `life`. Nil for any other text.
  static func number(_ text: String, of life: NodeBoot?) -> UInt64? {
    number(text.utf8.prefix(textMax)) ?? life.flatMap { life in JournalPosition(text)?[life] }
  }

  private static func number(_ digits: some Collection<UInt8>) -> UInt64? {
    guard (1...16).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let number = digits.reduce(0 as UInt64) { 10 * $0 + UInt64($1 - 0x30) }
    return number <= numberMax ? number : nil
  }
}
