/// A JSON pointer (RFC 6901), e.g. `/error/code`, or an empty text for the whole message.
package struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
  private struct Step: Hashable {
    let name: String
    /// The step as an index in an array; nil if it is not one.
    let index: Int?
  }

  private var steps: [Step]
  package private(set) var description: String

  /// Longer pointers are refused.
  private static let stepsMax = 32

  /// Parses a pointer; fails unless the text is empty or begins with a slash, with `~` only as `~0` and `~1`.
  package init?(_ text: String) {
    description = text
    guard !text.isEmpty else {
      steps = []
      return
    }
    guard text.utf8.first == UInt8(ascii: "/") else { return nil }
    var steps: [Step] = []
    for part in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      guard let name = Self.unescaped(part), steps.count < Self.stepsMax else { return nil }
      let isIndex =
        part.count <= 9 && part.allSatisfy { (0x30...0x39).contains($0) } && (part.count == 1 || part.first != 0x30)
      steps.append(Step(name: name, index: isIndex ? Int(name) : nil))
    }
    self.steps = steps
  }

  private static func unescaped(_ part: some Sequence<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var rest = part.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "~") else {
        bytes.append(byte)
        continue
      }
      switch rest.next() {
      case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
      case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
      default: return nil
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The name of the last member on the way; nil for the whole message.
  package var lastName: String? { steps.last?.name }

  /// Returns the escaped form of one step.
  package static func step(_ name: String) -> String {
    var step = "/"
    for scalar in name.unicodeScalars {
      switch scalar {
      case "~": step += "~0"
      case "/": step += "~1"
      default: step.unicodeScalars.append(scalar)
      }
    }
    return step
  }

  /// Returns the rest of this pointer after `other`; nil if it does not begin with it.
  package func rest(behind other: JSONPointer) -> JSONPointer? {
    guard steps.starts(with: other.steps) else { return nil }
    var rest = self
    rest.steps.removeFirst(other.steps.count)
    rest.description = rest.steps.map { Self.step($0.name) }.joined()
    return rest
  }

  /// Writes a member of an object at which the pointer finds the text: nested objects, whose members no other pointer
  /// shares.
  package func write(_ text: String, to json: inout JSONWriter) {
    guard !steps.isEmpty else { return }
    for step in steps.dropLast() {
      json.name(step.name)
      json.beginObject()
    }
    json.name(steps[steps.count - 1].name)
    json.string(text)
    for _ in steps.dropLast() { json.endObject() }
  }

  /// Returns the value that it points to; nil if there is none.
  package func find(in root: JSONView) -> JSONView? {
    var view = root
    for step in steps {
      guard let next = view[member: step.name] ?? step.index.flatMap({ view.element($0) }) else { return nil }
      view = next
    }
    return view
  }

  /// Returns the JSON text with another value at the pointer, and everything else as it was written; nil if nothing is there,
  /// or the text is no JSON of at most `sizeMax` bytes. `value` returns the new value as JSON, or nil to leave it.
  package func replacing(
    in text: [UInt8], sizeMax: Int = JSONDocument.sizeMax, with value: (JSONView) -> String?
  ) -> [UInt8]? {
    guard let document = try? JSONDocument.parse(text, sizeMax: sizeMax), let found = find(in: document.root),
      let value = value(found)
    else { return nil }
    var text = text
    text.replaceSubrange(found.range, with: value.utf8)
    return text
  }
}
