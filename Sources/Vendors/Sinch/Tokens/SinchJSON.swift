internal import GatewayJSON

/// The JSON of a registration token, whose numbers may be larger than 64 bits hold: RFC 8259 sets no bound, and a claim
/// that is no finite number is to be told from a token that is no JSON. `{"iat":1e400}` is JSON, for instance, with a
/// claim that is wrong.
enum SinchJSON {
  /// The object that `bytes` are; nil if they are none.
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

  /// The text with a fraction behind whole numbers that 64 bits do not hold, and null for what no Double holds.
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
