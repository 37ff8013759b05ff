import GatewayCore

/// A generator of hostile texts with a valid structure: examples with a few random changes.
struct FuzzSource {
  var generator: SeededGenerator
  private let examples: [JSONTree]
  private let words: [String]

  init(seed: UInt64, corpus: FuzzCorpus) {
    generator = SeededGenerator(seed: seed)
    examples = corpus.objects.compactMap(JSONTree.init(parsing:))
    words = Array(Set(corpus.words + examples.flatMap(\.names))).sorted()
    precondition(!examples.isEmpty && !words.isEmpty, "a fuzz with nothing to begin with")
  }

  // MARK: Random choices

  mutating func below(_ limit: Int) -> Int { Int(generator.next() % UInt64(limit)) }

  mutating func isHit(_ share: Double) -> Bool { generator.nextShare() < share }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  // MARK: Values

  /// Numbers at the limits of 32 and 64 bits and of doubles.
  private static let numbers = [
    "0", "-0", "-1", "1", "2147483647", "2147483648", "-2147483649", "4294967296", "9007199254740993",
    "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551616", "1e18", "9.3e18",
    "-9.3e18", "1e19", "1e308", "-1e308", "1e309", "1e-400", "0.1", "1.0", "1e3", "1700000000", "1700000000000",
  ]
  /// Contents of JSON strings: empty, white space, NUL, halves of surrogate pairs, equivalent names, paths, dates, long
  /// ones.
  private static let texts = [
    "", " ", "\\u0000", "a\\u0000b", "\\ud800", "\\udc00\\ud800", "\\ud83d\\ude00", "\u{E9}", "e\u{301}", "\u{212A}",
    "\\n", "\\r\\nX: y", "../..", "%00", "%", "a%", "a/b", "a?b#c", "*", "!anon", "null", "true", "-1", "1e999", "0x10",
    "9223372036854775808", "2026-01-01T00:00:00Z", "2026-02-30T25:61:61Z", "0000-00-00T00:00:00Z",
    "9999-12-31T23:59:59.999999999Z", "-0001-01-01T00:00:00Z", "292277026597-01-01T00:00:00Z", "2026-01-01",
    "default:c1", ":", "a:", ":b", "a:b:c", "ann", "bob", "\u{202E}x", "<script>", "'; --", "http://", "https://[::1",
    "javascript:1", "\u{FEFF}", "\u{10FFFF}", "eyJhbGciOiJub25lIn0.e30.", "a.b.c", "....", "\\u006b",
    String(repeating: "x", count: 300), String(repeating: "\u{E9}", count: 20_000),
  ]

  mutating func text() -> String { isHit(0.3) ? pick(words) : pick(Self.texts) }

  private mutating func value(depth: Int = 0) -> JSONTree {
    switch below(depth > 3 ? 4 : 7) {
    case 0: .literal(pick(["null", "true", "false"]))
    case 1: .literal(pick(Self.numbers))
    case 2, 3: .string(text())
    case 4: .array((0..<pick([0, 1, 2, 101, 500])).map { _ in .string(pick(words)) })
    case 5: .object((0..<below(4)).map { _ in (pick(words), value(depth: depth + 1)) })
    default: (0..<pick([2, 31, 40])).reduce(.literal("1")) { inner, _ in .object([("a", inner)]) }
    }
  }

  /// Pairs of names that are canonically equivalent in Unicode, and different here.
  private static let equivalents = [("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), ("\u{C5}", "A\u{30A}")]

  private mutating func changed(_ value: JSONTree) -> JSONTree {
    switch value {
    case .object(var members):
      switch below(6) {
      case 0:
        let pair = pick(Self.equivalents)
        return .object(members + [(pair.0, self.value()), (pair.1, self.value())])
      case 1:
        return .object(members + [(pick(words), self.value())])
      case 2:
        guard !members.isEmpty else { return self.value() }
        members.remove(at: below(members.count))
        return .object(members)
      case 3:
        guard let last = members.last else { return self.value() }
        return .object(members + [last])
      case 4:
        guard !members.isEmpty else { return self.value() }
        members[below(members.count)].name = text()
        return .object(members)
      default:
        return .array([value])
      }
    case .array(let elements):
      guard let first = elements.first, isHit(0.7) else { return self.value() }
      return .array(Array(repeating: first, count: pick([2, 3, 101, 300])) + elements)
    case .literal:
      return isHit(0.6) ? .literal(pick(Self.numbers)) : self.value()
    case .string:
      return isHit(0.6) ? .string(text()) : self.value()
    }
  }

  // MARK: Texts

  /// Returns an object similar to one of the examples.
  mutating func object() -> String {
    var tree = pick(examples)
    if isHit(0.15), case .object(let members) = tree, case .object(let others) = pick(examples) {
      tree = .object(members + others.filter { other in !members.contains { $0.name == other.name } })
    }
    for _ in 0..<pick([0, 1, 1, 1, 2, 2, 3, 6]) { tree = tree.changing(below(tree.count)) { changed($0) } }
    return isHit(0.03) ? broken(tree.text) : tree.text
  }

  /// Returns a text that is hardly JSON or not at all.
  private mutating func broken(_ text: String) -> String {
    switch below(5) {
    case 0: String(decoding: Array(text.utf8).prefix(below(text.utf8.count + 1)), as: UTF8.self)
    case 1: text + text
    case 2: "\u{FEFF}" + text
    case 3: String(repeating: "[", count: 3_000)
    default: pick(["", "null", "0", "\"\"", "[]", "{}", "\u{0}", "{\"a\":1,}"])
    }
  }

  /// Returns a form (application/x-www-form-urlencoded), or the parameters of a query.
  mutating func form(_ known: [String] = []) -> [HTTPField] {
    (0..<below(7)).map { _ in HTTPField(isHit(0.5) && !known.isEmpty ? pick(known) : pick(words), text()) }
  }
}
