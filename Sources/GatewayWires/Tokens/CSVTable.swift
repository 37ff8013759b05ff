internal import GatewayJSON

/// A table with a heading in CSV (RFC 4180).
struct CSVTable: Hashable, Sendable {
  let columns: [String]
  let rows: [[String]]

  static let sizeMax = 64 << 20
  private static let columnsMax = 64

  init(_ bytes: [UInt8], file: String) throws(DescriptionError) {
    func wrong(_ line: Int, _ reason: String) -> DescriptionError {
      var place = TextPlace()
      place.line = line
      return DescriptionError(file: file, place: place, pointer: "", reason: reason)
    }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes[3...] : bytes[...]
    guard String(validating: text, as: UTF8.self) != nil else { throw wrong(1, "not text in UTF-8") }
    var columns: [String]?
    var rows: [[String]] = []
    var reader = RowReader(text)
    while let row = reader.next() {
      guard !reader.isOpen else { throw wrong(row.line, "a field begins with a quote that is not closed") }
      guard row.fields != [""] else { continue }
      guard let columns else {
        guard row.fields.count <= Self.columnsMax, Set(row.fields).count == row.fields.count else {
          throw wrong(row.line, "the heading has a name twice, or more than \(Self.columnsMax)")
        }
        columns = row.fields
        continue
      }
      guard row.fields.count == columns.count else {
        throw wrong(row.line, "\(row.fields.count) fields, and the heading has \(columns.count)")
      }
      rows.append(row.fields)
    }
    guard let columns else { throw wrong(1, "the file is empty; expected a heading, and a line for each user") }
    guard !rows.isEmpty else { throw wrong(1, "there is a heading and no user; expected a line for each") }
    self.columns = columns
    self.rows = rows
  }
}

/// A parser of a CSV table's rows.
private struct RowReader {
  private let bytes: ArraySlice<UInt8>
  private var index: Int
  private var line = 1
  /// Whether the text ended inside quotes.
  private(set) var isOpen = false

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    index = bytes.startIndex
  }

  mutating func next() -> (line: Int, fields: [String])? {
    guard index < bytes.endIndex else { return nil }
    let start = line
    var fields: [String] = []
    while true {
      fields.append(field())
      guard index < bytes.endIndex else { break }
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: ",") { continue }
      if byte == 0x0D, index < bytes.endIndex, bytes[index] == 0x0A { index += 1 }
      line += 1
      break
    }
    return (start, fields)
  }

  /// Reads a field up to the comma or the end of its line.
  private mutating func field() -> String {
    var field: [UInt8] = []
    var isQuoted = false
    if index < bytes.endIndex, bytes[index] == UInt8(ascii: "\"") {
      isQuoted = true
      index += 1
    }
    while index < bytes.endIndex {
      let byte = bytes[index]
      if isQuoted {
        if byte == UInt8(ascii: "\"") {
          index += 1
          guard index < bytes.endIndex, bytes[index] == UInt8(ascii: "\"") else {
            isQuoted = false
            continue
          }
        }
        if byte == 0x0A { line += 1 }
      } else if [UInt8(ascii: ","), 0x0A, 0x0D].contains(byte) {
        break
      }
      field.append(byte)
      index += 1
    }
    isOpen = isOpen || isQuoted
    return String(decoding: field, as: UTF8.self)
  }
}
