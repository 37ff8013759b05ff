import Foundation
import GatewayCore
import GatewayJSON
import Testing

@testable import GatewaySinch

/// One vector of `Fixtures/sinch/registration-tokens.json`, with its values as text.
struct SinchVector: CustomTestStringConvertible, Sendable {
  let id: String
  private let object: JSONView

  var testDescription: String { id }

  static let all: [SinchVector] = {
    let url = Bundle.module.url(forResource: "Fixtures/sinch/registration-tokens", withExtension: "json")!
    let root = try! JSONDocument.parse(Array(Data(contentsOf: url))).root
    return root["vectors"]!.elements!.map { SinchVector(id: $0["id"]!.string!, object: $0) }
  }()

  func text(_ name: String) -> String { object[member: name]!.string! }
  func number(_ name: String) -> Int64 { object[member: name]!.integer! }
  var hasURLSecret: Bool { object["applicationSecretBase64Url"] != nil }
  var header: JSONView { object["header"]! }
  var claims: JSONView { object["claims"]! }
  var equivalent: [String] { object["equivalentEncodings"]?.members?.map { $0.value.string! } ?? [] }
  var instanceEnd: Int64? { object["expect"]!["instanceExpiresAt"]!.integer }

  var secret: SinchSecret { SinchSecret(text("applicationSecret"))! }
  var applications: SinchApplications {
    SinchApplications([SinchApplication(key: Name(text("applicationKey")), secrets: [secret])])
  }
  var verifyAt: WallTime { WallTime(seconds: Double(number("verifyAt"))) }
  var date: String { String(header["kid"]!.string!.suffix(8)) }
}
