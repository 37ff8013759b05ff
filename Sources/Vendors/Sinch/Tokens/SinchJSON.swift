internal import GatewayJSON

/// A parser of a registration token's JSON, whose numbers may exceed 64 bits.
///
/// RFC 8259 sets no limit, and a claim that is not a finite number must be distinguished from a token that is not JSON:
/// `{"iat":1e400}` is JSON with an invalid claim.
enum SinchJSON {
  /// Returns the object in `bytes`; nil if they are not one.
  static func object(_ bytes: [UInt8]) -> JSONView? {
    do throws(JSONError) {
      let root = try JSONDocument.parse(bytes).root
      return root.isObject ? root : nil
    } catch .numberOutOfRange {
      guard let root = try? JSONDocument.parse(bounded(bytes)).root, root.isObject else { return nil }
      return root
    } catch {
      return nil
    }
  }

  /// Returns the text with a fraction added to whole numbers above 64 bits, and null for numbers that a Double cannot
  /// represent.
  private static func bounded(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let start = index
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
          index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        index = min(index + 1, bytes.count)
        text += bytes[start..<index]
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        while index < bytes.count, "+-.0123456789eE".utf8.contains(bytes[index]) { index += 1 }
        text += bounded(number: String(decoding: bytes[start..<index], as: UTF8.self)).utf8
      default:
        text.append(bytes[index])
        index += 1
      }
    }
    return text
  }

  private static func bounded(number: String) -> String {
    guard let value = Double(number), value.isFinite else { return "null" }
    let isWhole = number.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
    return isWhole && Int64(number) == nil ? number + ".0" : number
  }
}
