import GatewayKit

/// What two messages of the same meaning have in common: their words. Numbers, ids and names of secrets are left out, and the
/// order of JSON's members does not matter.
struct TrafficShape: Hashable, Sendable {
  private let words: [[UInt8]]
  private let isBinary: Bool

  private static let wordMax = 40

  /// Creates the shape of a message without secrets, as a recording has it.
  init(_ text: String, isBinary: Bool) {
    words = Self.runs(of: text).filter { Self.isWord($0) }.map { Array($0) }.sorted { $0.lexicographicallyPrecedes($1) }
    self.isBinary = isBinary
  }

  /// Returns a message for people: as a recording has it, with a # in the place of numbers and ids, cut after 100 bytes.
  static func shown(_ text: String) -> String {
    var output: [UInt8] = []
    for run in runs(of: text) {
      guard output.count < 100 else { return String(decoding: output, as: UTF8.self) + "…" }
      let isSign = run.first.map { !isOfRun($0) } ?? true
      output += isSign || isWord(run) ? Array(run.prefix(100)) : Array("#".utf8)
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func runs(of text: String) -> [Substring.UTF8View] {
    let view = text.utf8
    var (runs, start): ([Substring.UTF8View], String.Index) = ([], view.startIndex)
    while start < view.endIndex {
      let isRun = isOfRun(view[start])
      let end = view[start...].firstIndex { isOfRun($0) != isRun } ?? view.endIndex
      runs.append(view[start..<end])
      start = end
    }
    return runs
  }

  private static func isWord(_ run: Substring.UTF8View) -> Bool {
    guard let first = run.first, isOfRun(first), run.count <= wordMax else { return false }
    return !run.contains { (0x30...0x39).contains($0) } && !Pseudonyms.isName(run)
  }

  private static func isOfRun(_ byte: UInt8) -> Bool {
    (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "_") || byte >= 0x80
  }
}
