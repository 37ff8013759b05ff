internal import Glibc

/// A table of the places of a plain object's members in its text. It does not keep the text, which each query passes again.
struct FlatTable {
  enum Kind {
    case string, integer, real, bool, null
  }

  /// The places where a member's name (without its quotes) and its value (with quotes) begin and end. It is small because each
  /// query copies the table.
  private struct Member {
    var nameStart: UInt16 = 0
    var nameEnd: UInt16 = 0
    var start: UInt16 = 0
    var end: UInt16 = 0
  }

  private static let countMax = 8
  /// The maximum number of digits that cannot overflow.
  private static let digitsMax = 18

  private var members = InlineArray<8, Member>(repeating: Member())
  private var countOfMembers: UInt16 = 0
  /// The set of members that are numbers with a fraction, one bit each.
  private var fractions: UInt16 = 0

  var count: Int { Int(countOfMembers) }

  /// Creates a table without members, for a document that has none.
  init() {}

  /// Reads a text; nil unless it is a plain object.
  init?(_ text: UnsafeRawBufferPointer) {
    guard text.count < UInt16.max else { return nil }
    var scanner = FlatScanner(text)
    guard scanner.take(UInt8(ascii: "{")) else { return nil }
    if !scanner.take(UInt8(ascii: "}")) {
      repeat {
        guard count < Self.countMax, takeMember(&scanner), isNew(count, in: text) else { return nil }
        countOfMembers += 1
      } while scanner.take(UInt8(ascii: ","))
      guard scanner.take(UInt8(ascii: "}")) else { return nil }
    }
    guard scanner.isAtEnd() else { return nil }
  }

  /// Adds the next member.
  private mutating func takeMember(_ scanner: inout FlatScanner) -> Bool {
    guard scanner.take(UInt8(ascii: "\"")) else { return false }
    var member = Member()
    member.nameStart = UInt16(scanner.position)
    guard scanner.passString() else { return false }
    member.nameEnd = UInt16(scanner.position - 1)
    guard scanner.take(UInt8(ascii: ":")), let first = scanner.next() else { return false }
    member.start = UInt16(scanner.position)
    switch first {
    case UInt8(ascii: "\""):
      scanner.position += 1
      guard scanner.passString() else { return false }
    case UInt8(ascii: "n"):
      guard scanner.pass("null") else { return false }
    case UInt8(ascii: "t"), UInt8(ascii: "f"):
      guard scanner.pass(first == UInt8(ascii: "t") ? "true" : "false") else { return false }
    default:
      guard scanner.passInteger(digitsMax: Self.digitsMax) else { return false }
      if scanner.passFraction(digitsMax: Self.digitsMax) { fractions |= 1 << countOfMembers }
    }
    member.end = UInt16(scanner.position)
    members[count] = member
    return true
  }

  /// Returns whether the member's name is new in its object.
  private func isNew(_ index: Int, in text: UnsafeRawBufferPointer) -> Bool {
    find(UnsafeRawBufferPointer(rebasing: text[name(index)]), in: text) == nil
  }

  /// Returns the index of the member of that name; nil if there is none.
  func find(_ name: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer) -> Int? {
    for index in 0..<count {
      let start = Int(members[index].nameStart)
      guard Int(members[index].nameEnd) - start == name.count else { continue }
      guard name.count > 0, let base = text.baseAddress, let wanted = name.baseAddress else { return index }
      if memcmp(base + start, wanted, name.count) == 0 { return index }
    }
    return nil
  }

  func kind(_ index: Int, in text: UnsafeRawBufferPointer) -> Kind {
    switch text[Int(members[index].start)] {
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "n"): .null
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
    default: fractions & 1 << index == 0 ? .integer : .real
    }
  }

  /// Returns the range of a member's name.
  func name(_ index: Int) -> Range<Int> { Int(members[index].nameStart)..<Int(members[index].nameEnd) }

  /// Returns the range of a member's value.
  func value(_ index: Int) -> Range<Int> { Int(members[index].start)..<Int(members[index].end) }

  /// Returns the range of a string between its quotes; nil if the member is no string.
  func string(_ index: Int, in text: UnsafeRawBufferPointer) -> Range<Int>? {
    guard kind(index, in: text) == .string else { return nil }
    return Int(members[index].start) + 1..<Int(members[index].end) - 1
  }

  /// Returns the whole number; nil if the member is none.
  func integer(_ index: Int, in text: UnsafeRawBufferPointer) -> Int64? {
    guard kind(index, in: text) == .integer else { return nil }
    var number: Int64 = 0
    var isNegative = false
    for byte in text[value(index)] {
      if byte == UInt8(ascii: "-") { isNegative = true } else { number = number * 10 + Int64(byte - UInt8(ascii: "0")) }
    }
    return isNegative ? -number : number
  }

  /// Returns the number with a fraction, as the C library reads it; nil if the member is none.
  func real(_ index: Int, in text: UnsafeRawBufferPointer) -> Double? {
    guard kind(index, in: text) == .real else { return nil }
    let digits = text[value(index)]
    if let exact = Self.exact(digits) { return exact }
    return withUnsafeTemporaryAllocation(byteCount: digits.count + 1, alignment: 1) { buffer in
      buffer.copyBytes(from: digits)
      buffer[digits.count] = 0
      return strtod(buffer.baseAddress!.assumingMemoryBound(to: CChar.self), nil)
    }
  }

  /// The powers of ten up to what a token's dates need; a double holds them exactly.
  private static let powersOfTen: InlineArray<10, Double> = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

  /// Returns the number nearest to the digits, or nil if there are too many.
  ///
  /// The quotient is the nearest number if the digits without their point and the power of ten are both exact (W. Clinger, How
  /// to Read Floating Point Numbers Accurately, 1990).
  private static func exact(_ digits: Slice<UnsafeRawBufferPointer>) -> Double? {
    guard digits.count <= 17 else { return nil }
    var (whole, decimals, isNegative): (UInt64, Int, Bool) = (0, -1, false)
    for byte in digits {
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): decimals = 0
      default:
        whole = whole * 10 + UInt64(byte - UInt8(ascii: "0"))
        if decimals >= 0 { decimals += 1 }
      }
    }
    guard whole <= 1 << 53, (0..<10).contains(decimals) else { return nil }
    let number = Double(whole) / powersOfTen[decimals]
    return isNegative ? -number : number
  }
}
