import Foundation
import GatewayJSON
import Testing

/// One message of `Fixtures/stream-sfu/vectors.json`: in the bytes of Stream's own classes, and as JSON.
struct SignalVector: CustomTestStringConvertible, Sendable {
  let name: String
  let bytes: [UInt8]
  let json: String

  var testDescription: String { name }

  static let requests = read("requests")
  static let events = Dictionary(read("events").map { ($0.name, $0) }, uniquingKeysWith: { $1 })

  private static func read(_ list: String) -> [SignalVector] {
    let url = Bundle.module.url(forResource: "Fixtures/stream-sfu/vectors", withExtension: "json")!
    let root = try! JSONDocument.parse(Array(Data(contentsOf: url))).root
    return root[member: list]!.elements!.map { vector in
      SignalVector(name: vector["name"]!.string!, bytes: bytes(vector["hex"]!.string!), json: vector["json"]!.text)
    }
  }

  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16)! }
  }
}
