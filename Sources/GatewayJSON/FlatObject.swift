/// A JSON object of a few members that are plain: strings of printable ASCII without escapes, small whole numbers, null.
///
/// Nearly every message is one, and reading it takes a fraction of what building jansson's tree takes. Whatever is not
/// plain, or wrong in any way, is nil here and is left to the parser, which knows what to say about it.
package struct FlatObject {
  package enum Kind {
    case string
    case integer
    case null
  }

  /// A member, by the places where its name (within the quotes) and its value (quotes and all) begin and end.
  private struct Member {
    var nameStart: Int32 = 0
    var nameEnd: Int32 = 0
    var start: Int32 = 0
    var end: Int32 = 0
    var kind = Kind.null
  }

  private static let countMax = 8
  /// Fewer digits than could overflow.
  private static let digitsMax = 18

  package let text: UnsafeRawBufferPointer
  private var members = InlineArray<8, Member>(repeating: Member())
  private var count = 0

  package init?(_ text: UnsafeRawBufferPointer) {
    guard text.count < Int32.max else { return nil }
    self.text = text
    var scanner = FlatScanner(text)
    guard scanner.take(UInt8(ascii: "{")) else { return nil }
    if !scanner.take(UInt8(ascii: "}")) {
      repeat {
        guard count < Self.countMax, let member = Self.takeMember(&scanner),
          find(UnsafeRawBufferPointer(rebasing: text[Int(member.nameStart)..<Int(member.nameEnd)])) == nil
        else { return nil }
        members[count] = member
        count += 1
      } while scanner.take(UInt8(ascii: ","))
      guard scanner.take(UInt8(ascii: "}")) else { return nil }
    }
    guard scanner.isAtEnd() else { return nil }
  }

  private static func takeMember(_ scanner: inout FlatScanner) -> Member? {
    guard scanner.take(UInt8(ascii: "\"")) else { return nil }
    var member = Member()
    member.nameStart = Int32(scanner.position)
    guard scanner.passString() else { return nil }
    member.nameEnd = Int32(scanner.position - 1)
    guard scanner.take(UInt8(ascii: ":")), let first = scanner.next() else { return nil }
    member.start = Int32(scanner.position)
    switch first {
    case UInt8(ascii: "\""):
      scanner.position += 1
      member.kind = .string
      guard scanner.passString() else { return nil }
    case UInt8(ascii: "n"):
      member.kind = .null
      guard scanner.passNull() else { return nil }
    default:
      member.kind = .integer
      guard scanner.passInteger(digitsMax: digitsMax) else { return nil }
    }
    member.end = Int32(scanner.position)
    return member
  }

  private func find(_ name: UnsafeRawBufferPointer) -> Int? {
    for index in 0..<count {
      let start = Int(members[index].nameStart)
      let end = Int(members[index].nameEnd)
      if end - start == name.count && text[start..<end].elementsEqual(name) { return index }
    }
    return nil
  }

  private func member(_ name: StaticString) -> Member? {
    name.withUTF8Buffer { find(UnsafeRawBufferPointer($0)) }.map { members[$0] }
  }

  /// What kind of value has that name; nil if there is no such member.
  package func kind(_ name: StaticString) -> Kind? {
    member(name)?.kind
  }

  /// The value of that name as it stands in the text; nil if there is no such member.
  package func verbatim(_ name: StaticString) -> Range<Int>? {
    member(name).map { Int($0.start)..<Int($0.end) }
  }

  /// The string of that name; nil if there is none.
  package func string(_ name: StaticString) -> String? {
    guard let member = member(name), member.kind == .string else { return nil }
    return String(decoding: text[Int(member.start) + 1..<Int(member.end) - 1], as: UTF8.self)
  }

  /// The whole number of that name; nil if there is none.
  package func integer(_ name: StaticString) -> Int64? {
    guard let member = member(name), member.kind == .integer else { return nil }
    var number: Int64 = 0
    var isNegative = false
    for byte in text[Int(member.start)..<Int(member.end)] {
      if byte == UInt8(ascii: "-") { isNegative = true } else { number = number * 10 + Int64(byte - UInt8(ascii: "0")) }
    }
    return isNegative ? -number : number
  }
}
