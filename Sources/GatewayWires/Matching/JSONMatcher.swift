package import GatewayJSON

/// A condition on a member of a message: a value, a range, or its existence.
package struct JSONMatcher: Hashable, Sendable {
  private enum Test: Hashable {
    case equals(MatchedValue)
    case differs(MatchedValue)
    case isAmong([MatchedValue])
    case exists(Bool)
    case isAtLeast(Double)
    case isAtMost(Double)
    case starts(Template)
    case contains(Template)
  }

  private let tests: [Test]

  private static let words = ["is", "not", "in", "exists", "from", "to", "starts", "contains"]

  /// Reads a literal, or an object whose conditions must all hold.
  package init(_ described: Described, _ names: HoleNames) throws(DescriptionError) {
    guard case .object(let members) = described.value.kind else {
      tests = [.equals(try MatchedValue(described, names))]
      return
    }
    guard !members.isEmpty else {
      throw described.error("an empty object matches nothing; an object that is empty is {\"is\": {}}")
    }
    _ = try described.object(Self.words)
    tests = try described.members().map { (word, value) throws(DescriptionError) in
      switch word {
      case "is": .equals(try MatchedValue(value, names))
      case "not": .differs(try MatchedValue(value, names))
      case "in": .isAmong(try value.elements().map { (one) throws(DescriptionError) in try MatchedValue(one, names) })
      case "exists": .exists(try value.bool())
      case "from": .isAtLeast(try value.number(in: -1e15...1e15))
      case "to": .isAtMost(try value.number(in: -1e15...1e15))
      case "starts": .starts(try Template(value, names))
      default: .contains(try Template(value, names))
      }
    }
  }

  /// The holes in it.
  var holes: [Hole] {
    tests.flatMap { (test) -> [Hole] in
      switch test {
      case .equals(let value), .differs(let value): value.holes
      case .isAmong(let values): values.flatMap(\.holes)
      case .starts(let template), .contains(let template): template.holes
      case .exists, .isAtLeast, .isAtMost: []
      }
    }
  }

  /// Returns whether a pointer's value fulfils the condition. A missing value fulfils only `"exists": false`.
  package func matches(_ view: JSONView?, _ source: some HoleSource) -> Bool {
    tests.allSatisfy { Self.passes($0, view, source) }
  }

  private static func passes(_ test: Test, _ view: JSONView?, _ source: some HoleSource) -> Bool {
    if case .exists(let wanted) = test { return (view != nil) == wanted }
    guard let view else { return false }
    return switch test {
    case .equals(let value): value.equals(view, source)
    case .differs(let value): !value.equals(view, source)
    case .isAmong(let values): values.contains { $0.equals(view, source) }
    case .exists: true
    case .isAtLeast(let least): view.number.map { $0 >= least } ?? false
    case .isAtMost(let most): view.number.map { $0 <= most } ?? false
    case .starts(let template):
      text(template, source).map { text in view.withUTF8 { $0.starts(with: text) } ?? false } ?? false
    case .contains(let template):
      text(template, source).map { text in view.withUTF8 { $0.holds(text) } ?? false } ?? false
    }
  }

  private static func text(_ template: Template, _ source: some HoleSource) -> [UInt8]? {
    var bytes: [UInt8] = []
    guard (try? template.write(to: &bytes, from: source)) != nil else { return nil }
    return bytes
  }
}

extension Collection where Element == UInt8 {
  /// Returns whether the bytes occur in these.
  package func holds(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first else { return true }
    var rest = self[...]
    while let start = rest.firstIndex(of: first) {
      rest = rest[start...]
      if rest.starts(with: bytes) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
