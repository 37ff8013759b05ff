/// A JSON object of a few members that are plain: strings of printable ASCII without escapes, numbers of few digits
/// without an exponent, true, false and null; `{"type":"ping"}`, for instance.
///
/// Nearly every message is one, and reading it takes a fraction of what building jansson's tree takes. Whatever is not
/// plain, or wrong in any way, is nil here and is left to the parser, which knows what to say about it.
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

  /// Whether there is a member of that name, even if it is null.
  package func has(_ name: StaticString) -> Bool { find(name) != nil }

  /// The value of that name as it stands in the text; nil if there is no such member.
  package func verbatim(_ name: StaticString) -> Range<Int>? {
    find(name).map { table.value($0) }
  }

  /// The string of that name; nil if there is none.
  package func string(_ name: StaticString) -> String? {
    find(name).flatMap { table.string($0, in: text) }.map { String(decoding: text[$0], as: UTF8.self) }
  }

  /// The number of that name; nil if there is none.
  package func number(_ name: StaticString) -> Double? {
    guard let index = find(name) else { return nil }
    return table.integer(index, in: text).map { Double($0) } ?? table.real(index, in: text)
  }
}
