/// A JSON object of a few plain members: strings of printable ASCII without escapes, numbers of few digits without an exponent,
/// true, false and null.
///
/// Nearly every message is such an object, e.g. `{"type":"ping"}`. Reading it takes a fraction of the time that an index of all
/// values takes. A text that is not plain, or has any error, is nil here and goes to the parser, which reports the
/// error.
package struct FlatObject {
  package let text: UnsafeRawBufferPointer
  private let table: FlatTable

  package init?(_ text: UnsafeRawBufferPointer) {
    guard let table = FlatTable(text) else { return nil }
    self.text = text
    self.table = table
  }

  private func find(_ name: StaticString) -> Int? {
    name.withUTF8Buffer { table.find(UnsafeRawBufferPointer($0), in: text) }
  }

  /// Returns whether there is a member of that name, even if it is null.
  package func has(_ name: StaticString) -> Bool { find(name) != nil }

  /// Returns the range of the value of that name in the text; nil if there is no such member.
  package func verbatim(_ name: StaticString) -> Range<Int>? {
    find(name).map { table.value($0) }
  }

  /// Returns the string of that name; nil if there is none.
  package func string(_ name: StaticString) -> String? {
    find(name).flatMap { table.string($0, in: text) }.map { String(decoding: text[$0], as: UTF8.self) }
  }

  /// Returns the number of that name; nil if there is none.
  package func number(_ name: StaticString) -> Double? {
    guard let index = find(name) else { return nil }
    return table.integer(index, in: text).map { Double($0) } ?? table.real(index, in: text)
  }
}
