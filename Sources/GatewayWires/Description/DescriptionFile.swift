internal import GatewayCore
internal import GatewayJSON
package import GatewayKit

/// A file that describes a wire or a token endpoint: JSON with comments (JSON5), one object, at most 256 KiB.
package enum DescriptionFile {
  package static let sizeMax = 256 * 1024

  /// Reads the description in the file at `path`, which the flag's value names. Throws a ``DescriptionError``, or an
  /// error that names the flag if the file cannot be read.
  package static func read(_ path: String, of value: Arguments.Value) throws -> Described {
    try parse(try InputFile.read(path, of: value, sizeMax: sizeMax), file: path)
  }

  /// Parses a description; `file` is its name in errors.
  package static func parse(_ bytes: [UInt8], file: String) throws(DescriptionError) -> Described {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw DescriptionError(file: file, place: TextPlace(), pointer: "", reason: "not text in UTF-8")
    }
    var reader = JSON5Reader(text)
    do {
      return Described(try reader.object(), file: file)
    } catch {
      throw DescriptionError(file: file, place: error.place, pointer: "", reason: error.reason)
    }
  }
}
