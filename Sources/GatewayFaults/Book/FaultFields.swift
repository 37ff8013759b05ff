package import GatewayCore
package import GatewayJSON
internal import GatewayKit

/// The members of an order for a fault, as JSON: `{"fault": "delay", "by_ms": 300}`.
package typealias FaultFields = Fields<FaultWords>

/// The error messages for a wrong member of an order.
package enum FaultWords: FieldWords {
  package static func length(of text: String) -> Int { text.utf8.count }

  package static func failure(_ fault: FieldFault, _ name: String, path: String) -> GatewayError {
    let wrong =
      switch fault {
      case .missing: "is missing"
      case .empty: "must not be empty"
      case .notText(let max): "must be a text of at most \(max) bytes"
      case .tooLong(let max): "must have at most \(max) bytes"
      case .notFlag: "must be true or false"
      case .notInteger(let range): "must be a whole number, \(range.lowerBound) to \(range.upperBound)"
      case .notObject: "must be an object"
      case .notArray(let max): "must be an array of at most \(max)"
      case .tooMany(let max): "must have at most \(max) elements"
      case .notTexts: "must hold texts"
      }
    return .invalidParameter.detailed("\(path) \(wrong)")
  }
}

extension FaultFields {
  /// The maximum length of a name.
  package static var nameLengthMax: Int { 256 }

  /// Returns the error for a missing member.
  package func missing(_ name: String) -> GatewayError { failure(.missing, name) }

  /// Returns the object of that name; nil if there is no such member.
  package func child(_ name: String) throws(GatewayError) -> FaultFields? { try object(name) }

  /// Returns a whole number within `range`; nil if there is no such member.
  package func whole(_ name: String, in range: ClosedRange<Int64>) throws(GatewayError) -> Int64? {
    try integer(name, in: range)
  }

  /// Returns a text of at most `bytes` bytes; nil if there is no such member.
  package func text(_ name: String, bytes: Int) throws(GatewayError) -> String? { try string(name, max: bytes) }

  /// Returns at most `count` texts; nil if there is no such member.
  package func texts(_ name: String, count: Int) throws(GatewayError) -> [String]? {
    try strings(name, count: count, max: Self.nameLengthMax)
  }

  /// Returns `; did you mean 'drop'?`. If no word is near, returns `; there is` with all words.
  static func lead(from word: String, to words: [String]) -> String {
    let near = Suggestion.near(word, among: words).map { "'\($0)'" }
    return near.isEmpty ? "; there is \(words.joined(separator: ", "))" : Suggestion.question(near)
  }

  private func notOne(of words: [String], _ name: String, _ text: String) -> GatewayError {
    let near = Suggestion.near(text, among: words).map { "'\($0)'" }
    guard near.isEmpty else {
      return .invalidParameter.detailed("\(path(of: name)): '\(text)' is unknown" + Suggestion.question(near))
    }
    return .invalidParameter.detailed("\(path(of: name)) must be one of \(words.joined(separator: ", "))")
  }

  /// Returns one of the type's words; nil if there is no such member. The error for another word lists them.
  package func word<Word: RawRepresentable & CaseIterable>(
    _ name: String, _ type: Word.Type = Word.self
  ) throws(GatewayError) -> Word? where Word.RawValue == String {
    guard let text = try string(name, max: Self.nameLengthMax) else { return nil }
    guard let word = Word.allCases.first(where: { Name($0.rawValue) == Name(text) }) else {
      throw notOne(of: Word.allCases.map(\.rawValue), name, text)
    }
    return word
  }

  /// Returns an error by its name in the gateway's catalogue, e.g. `token_expired`; nil if there is no such member.
  package func error(_ name: String) throws(GatewayError) -> GatewayError? {
    guard let text = try string(name, max: Self.nameLengthMax) else { return nil }
    guard let error = GatewayError.all.first(where: { Name($0.name) == Name(text) }) else {
      throw notOne(of: GatewayError.all.map(\.name), name, text)
    }
    return error
  }

  /// Returns the close reason from the members `code` and `reason`; nil if there is no `code`.
  package func closeReason() throws(GatewayError) -> CloseReason? {
    guard let code = try integer("code", in: 1000...4999) else { return nil }
    guard let reason = CloseReason(code: UInt16(code), name: try string("reason", max: 123) ?? "") else {
      throw .invalidParameter.detailed("code must be one that may be sent (1000-1003, 1007-1014, 3000-4999)")
    }
    return reason
  }

  /// Returns the close reasons in the member `for`; empty for all.
  package func reasons() throws(GatewayError) -> [Name] {
    let names = try strings("for", count: 64, max: Self.nameLengthMax) ?? []
    let known = CloseReason.all.map { Name($0.name) }
    for name in names where !known.contains(Name(name)) {
      throw .invalidParameter.detailed(
        "\(path(of: "for")) must name some of \(known.map(\.text).joined(separator: ", "))")
    }
    return names.map { Name($0) }
  }

  /// Returns a number within `range`; nil if there is no such member.
  package func number(_ name: String, in range: ClosedRange<Double>) throws(GatewayError) -> Double? {
    guard let value = value(name) else { return nil }
    guard let number = value.number, range.contains(number) else {
      throw .invalidParameter.detailed(
        "\(path(of: name)) must be a number, \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))")
    }
    return number
  }

  private static func text(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? String(number)
  }

  /// Returns a duration in milliseconds, at most a day; nil if there is no such member.
  package func milliseconds(_ name: String) throws(GatewayError) -> Duration? {
    try number(name, in: 0...86_400_000).map { .nanoseconds(Int64($0 * 1e6)) }
  }

  /// Returns the member `by_ms`, which must be there.
  package func delay() throws(GatewayError) -> Duration {
    guard let duration = try milliseconds("by_ms") else { throw missing("by_ms") }
    return duration
  }

  /// Returns a duration in seconds, at most ten years; nil if there is no such member.
  package func seconds(_ name: String, from least: Double = 0) throws(GatewayError) -> Duration? {
    try number(name, in: least...315_360_000).map { .saturating(seconds: $0) }
  }

  /// Throws for members with names outside `known`, and for repeated members; the error names them.
  package func refuseStrangers(_ known: [String]) throws(GatewayError) {
    var seen: Set<Name> = []
    for (name, value) in view.members ?? [] {
      // An order without the member would mean something else.
      guard !value.isNull else {
        throw .invalidParameter.detailed("\(path(of: String(name.prefix(64)))) is null; leave it out, or say it")
      }
      guard known.contains(where: { Name($0) == Name(name) }) else {
        throw .invalidParameter.detailed(
          "no member is called '\(path(of: String(name.prefix(64))))'" + Self.lead(from: name, to: known))
      }
      guard seen.insert(Name(name)).inserted else {
        throw .invalidParameter.detailed("\(path(of: name)) is given twice")
      }
    }
  }
}
