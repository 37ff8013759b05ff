internal import GatewayCore

/// The parts of a `multipart/form-data` body (RFC 7578, and RFC 2046 section 5.1 for its form).
struct SendbirdMultipart: Hashable, Sendable {
  /// A part of a multipart body.
  struct Part: Hashable, Sendable {
    var name: String
    /// The file name; nil for a field that is not a file.
    var fileName: String?
    /// The media type of the part; empty if none is given.
    var type: String
    var bytes: [UInt8]
  }

  static let partsMax = 64
  private static let headMax = 4_096

  let parts: [Part]

  /// Fails if the body does not consist of whole parts between boundary lines.
  init?(_ body: [UInt8], boundary: String) {
    let delimiter = Array("--\(boundary)".utf8)
    guard !delimiter.contains(13) else { return nil }
    var parts: [Part] = []
    var rest = body[...]
    if !rest.starts(with: delimiter) {
      // The text before the first boundary has no meaning.
      guard let first = Self.end(of: rest, before: delimiter) else { return nil }
      rest = rest[(first + 2)...]
    }
    rest = rest[(rest.startIndex + delimiter.count)...]
    while !rest.starts(with: "--".utf8) {
      guard let lineEnd = Self.lineEnd(rest), parts.count < Self.partsMax else { return nil }
      rest = rest[lineEnd...]
      guard let end = Self.end(of: rest, before: delimiter), let part = Self.part(rest[..<end]) else {
        return nil
      }
      parts.append(part)
      rest = rest[(end + 2 + delimiter.count)...]
    }
    self.parts = parts
  }

  /// Returns the boundary in a body's media type (RFC 2046 section 5.1.1); nil for another media type.
  static func boundary(of type: String) -> String? {
    var parameters = parameters(type)
    guard !parameters.isEmpty, parameters.removeFirst().name == "multipart/form-data" else { return nil }
    let boundary = parameters.first { $0.name == "boundary" }?.value
    return boundary.flatMap { (1...70).contains($0.utf8.count) ? $0 : nil }
  }

  /// Returns the end of the part before the text, at the line end before it.
  ///
  /// Reads each byte at most twice: 15 MB of repeated half delimiters must not block the loop longer than a photograph
  /// of that size.
  private static func end(of bytes: ArraySlice<UInt8>, before text: [UInt8]) -> Int? {
    let needle = [13, 10] + text
    let offset = bytes.withUnsafeBufferPointer { bytes in
      needle.withUnsafeBufferPointer { needle -> Int? in
        var index = 0
        while index &+ needle.count <= bytes.count {
          guard bytes[index] == 13 else {
            index &+= 1
            continue
          }
          var matched = 1
          while matched < needle.count, bytes[index &+ matched] == needle[matched] { matched &+= 1 }
          guard matched < needle.count else { return index }
          // The matched bytes cannot begin another match: each text contains a line end only at its own end.
          index &+= matched
        }
        return nil
      }
    }
    return offset.map { bytes.startIndex + $0 }
  }

  /// Returns the position after the next line end, if only blanks precede it.
  private static func lineEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
    let line = bytes.drop { $0 == 32 || $0 == 9 }
    guard line.starts(with: [13, 10]) else { return nil }
    return line.startIndex + 2
  }

  private static func part(_ bytes: ArraySlice<UInt8>) -> Part? {
    guard let headEnd = end(of: bytes.prefix(headMax), before: [13, 10]),
      let head = String(validating: bytes[..<headEnd], as: UTF8.self)
    else { return nil }
    var part = Part(name: "", fileName: nil, type: "", bytes: Array(bytes[(headEnd + 4)...]))
    var isNamed = false
    for line in head.split(bytesOf: "\r\n") where !line.isEmpty {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...]
      switch line[..<colon].lowercased() {
      case "content-disposition":
        for (name, text) in parameters(String(value)).dropFirst() {
          if name == "name" { (part.name, isNamed) = (text, true) }
          if name == "filename" { part.fileName = text }
        }
      case "content-type": part.type = value.split(separator: " ").joined(separator: " ")
      default: break
      }
    }
    return isNamed ? part : nil
  }

  /// Splits a header field at its semicolons: names in lower case, values without quotes (RFC 2045 section 5.1).
  private static func parameters(_ field: String) -> [(name: String, value: String)] {
    var pieces: [String.UnicodeScalarView] = [String.UnicodeScalarView()]
    var isQuoted = false
    for scalar in field.unicodeScalars {
      if scalar == "\"" { isQuoted.toggle() }
      if scalar == ";" && !isQuoted {
        pieces.append(String.UnicodeScalarView())
      } else {
        pieces[pieces.count - 1].append(scalar)
      }
    }
    return pieces.map { piece in
      let parts = String(piece).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let trimmed = parts.map { part in
        var text = part.unicodeScalars[...]
        while let first = text.first, [" ", "\t"].contains(first) { text.removeFirst() }
        while let last = text.last, [" ", "\t"].contains(last) { text.removeLast() }
        if text.count >= 2, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
        return String(text)
      }
      return (trimmed[0].lowercased(), trimmed.count == 2 ? trimmed[1] : "")
    }
  }
}
