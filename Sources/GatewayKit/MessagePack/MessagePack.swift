internal import GatewayCore
internal import GatewayJSON

/// MessagePack as JSON text and back. Values that JSON lacks are objects of one or two members:
///
/// | MessagePack | JSON |
/// |---|---|
/// | bin | `{"$base64": "aGk="}` |
/// | ext, also a timestamp (type -1) | `{"$ext": -1, "$base64": "…"}` |
/// | an integer above 2^63 - 1 | `{"$uint": "18446744073709551615"}` |
/// | NaN and the infinities | `{"$float": "nan"}`, `"inf"`, `"-inf"` |
/// | str that is no UTF-8, or has NUL | `{"$str": "gA=="}` |
/// | map with other keys than text | `{"$map": [[1, "one"], {"name": "two"}]}` |
package enum MessagePack {
  /// The largest message that is read or written, in bytes of either form.
  package static let sizeMax = 1 << 20
  /// The maximum number of levels that arrays and maps may nest.
  package static let depthMax = JSONDocument.depthMax

  static let base64 = "$base64"
  static let ext = "$ext"
  static let uint = "$uint"
  static let float = "$float"
  static let str = "$str"
  static let map = "$map"

  private static let marks = [base64, ext, uint, float, str, map].map { Array($0.utf8) }

  /// Returns whether a name stands for a type of MessagePack.
  static func isMark(_ name: some Collection<UInt8>) -> Bool {
    name.first == UInt8(ascii: "$") && marks.contains { name.elementsEqual($0) }
  }

  /// Returns whether bytes of a str can be a string of JSON here.
  static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
  }

  /// Returns whether bytes may be a map or an array of MessagePack. No text of JSON begins so.
  package static func mayBegin(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.first.map { (0x80...0x9f).contains($0) || (0xdc...0xdf).contains($0) } ?? false
  }

  /// How values are written that are bytes.
  package enum Bytes: Sendable {
    /// In base64.
    case shown
    /// As their number, for people who may not see a secret.
    case counted
  }

  /// Returns the JSON text of a map or an array; nil for other bytes, and for more than ``sizeMax`` or ``depthMax``.
  package static func json(_ bytes: UnsafeRawBufferPointer, _ shown: Bytes = .shown) -> [UInt8]? {
    MessagePackText(bytes, shown, findsPlaces: false)?.json
  }

  /// Returns the JSON text of a map or an array, as ``json(_:_:)`` does.
  package static func json(_ bytes: [UInt8], _ shown: Bytes = .shown) -> [UInt8]? {
    bytes.withUnsafeBytes { json($0, shown) }
  }

  /// Returns the MessagePack of a JSON text, in the shortest form of each value; nil for a text that is no JSON, or that has
  /// an object for a type with a wrong value.
  package static func packed(_ json: [UInt8]) -> [UInt8]? {
    guard json.count <= sizeMax else { return nil }
    let array = [UInt8(ascii: "[")] + json + [UInt8(ascii: "]")]
    guard let document = try? JSONDocument.parse(array, sizeMax: array.count, depthMax: depthMax + 1),
      let elements = document.root.elements, elements.count == 1
    else { return nil }
    var writer = MessagePackWriter()
    guard writer.write(elements[0]), writer.bytes.count <= sizeMax else { return nil }
    return writer.bytes
  }
}
