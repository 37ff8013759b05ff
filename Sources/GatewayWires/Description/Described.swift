package import GatewayJSON
internal import GatewayKit

/// A value of a description with its place in the file. It reads itself as a wanted type, or throws an error that says
/// what would be right.
package struct Described: Sendable {
  package let value: PlacedJSON
  /// The JSON pointer to it.
  package let pointer: String
  package let file: String

  init(_ value: PlacedJSON, pointer: String = "", file: String) {
    self.value = value
    self.pointer = pointer
    self.file = file
  }

  /// Returns an error about this value.
  package func error(_ reason: String) -> DescriptionError {
    DescriptionError(file: file, place: value.place, pointer: pointer, reason: reason)
  }

  private func wanted(_ what: String) -> DescriptionError { error("\(value.noun); expected \(what)") }

  /// Returns the error for a number that is not allowed here.
  private func wanted(number what: String) -> DescriptionError {
    guard case .number(let text) = value.kind else { return wanted(what) }
    return error("\(text.prefix(32)); expected \(what)")
  }

  /// Returns the error for an unknown name; suggests the nearest known one.
  package func unknown(_ word: String, _ noun: String, among names: some Sequence<String>) -> DescriptionError {
    error("no such \(noun) '\(word)'" + Self.lead(word, to: names))
  }

  static func lead(_ word: String, to names: some Sequence<String>) -> String {
    let names = Array(names)
    let near = Suggestion.near(word, among: names).map { "'\($0)'" }
    guard near.isEmpty else { return Suggestion.question(near) }
    return names.isEmpty ? "" : "; there is \(names.joined(separator: ", "))"
  }

  // MARK: Plain values

  package func text() throws(DescriptionError) -> String {
    guard case .string(let text) = value.kind else { throw wanted("text") }
    return text
  }

  package func bool() throws(DescriptionError) -> Bool {
    guard case .bool(let flag) = value.kind else { throw wanted("true or false") }
    return flag
  }

  package func number(in range: ClosedRange<Double>) throws(DescriptionError) -> Double {
    guard case .number(let text) = value.kind, let number = Double(text), range.contains(number) else {
      throw wanted(number: "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  package func integer(in range: ClosedRange<Int>) throws(DescriptionError) -> Int {
    guard case .number(let text) = value.kind, let number = Int(text), range.contains(number) else {
      throw wanted(number: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Reads a duration in the form of flags: `"1.5s"`.
  package func duration() throws(DescriptionError) -> Duration {
    guard case .string(let text) = value.kind else { throw wanted("a duration as \"10s\" or \"500ms\"") }
    guard let duration = DurationText.parse(text) else {
      throw error("'\(text)' is no duration; expected one as \"10s\" or \"500ms\"")
    }
    return duration
  }

  /// Reads one of a few words.
  package func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ noun: String, _ type: Choice.Type = Choice.self
  ) throws(DescriptionError) -> Choice {
    let text = try text()
    guard let choice = Choice(rawValue: text) else {
      throw unknown(text, noun, among: Choice.allCases.map(\.rawValue))
    }
    return choice
  }

  // MARK: Compound values

  /// Reads the elements of an array.
  package func elements() throws(DescriptionError) -> [Described] {
    guard case .array(let elements) = value.kind else { throw wanted("an array") }
    return elements.enumerated().map { Described($1, pointer: "\(pointer)/\($0)", file: file) }
  }

  /// Reads the elements of an array, or the value itself, for values that may be given alone or as a list.
  package func oneOrMore() throws(DescriptionError) -> [Described] {
    guard case .array = value.kind else { return [self] }
    return try elements()
  }

  /// Reads the members of an object whose names the description's author chose.
  package func members() throws(DescriptionError) -> [(name: String, value: Described)] {
    guard case .object(let members) = value.kind else { throw wanted("an object") }
    return members.map { ($0.name, Described($0.value, pointer: pointer + JSONPointer.step($0.name), file: file)) }
  }

  /// Reads an object that may have only these members.
  package func object(_ names: [String]) throws(DescriptionError) -> DescribedObject {
    guard case .object(let members) = value.kind else { throw wanted("an object") }
    for member in members where !names.contains(where: { $0.utf8.elementsEqual(member.name.utf8) }) {
      throw DescriptionError(
        file: file, place: member.place, pointer: pointer + JSONPointer.step(member.name),
        reason: "no such key '\(member.name)'" + Self.lead(member.name, to: names))
    }
    return DescribedObject(whole: self, members: try self.members())
  }
}

extension Described {
  /// The most bytes in hexadecimal digits.
  private static let hexMax = 4_096

  /// Returns the bytes of a text in hexadecimal digits, in pairs, with blanks between pairs if need be.
  func hexBytes() throws(DescriptionError) -> [UInt8] {
    let digits = try text().utf8.filter { $0 != 0x20 }
    guard !digits.isEmpty, digits.count % 2 == 0, digits.count <= 2 * Self.hexMax else {
      throw error("wants pairs of hexadecimal digits, at most \(Self.hexMax) of them, e.g. \"2a 00\"")
    }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: digits.count, by: 2) {
      guard let high = Self.digit(digits[start]), let low = Self.digit(digits[start + 1]) else {
        throw error("has something else than hexadecimal digits, e.g. \"2a 00\"")
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
