internal import FoundationEssentials
internal import GatewayCore

/// The body of an order, whose members are the cases of its keys.
protocol ControlBody: Decodable {
  associatedtype CodingKeys: CodingKey, CaseIterable
}

/// Answers and questions of the control API in JSON.
enum ControlAnswer {
  static func json(_ value: some Encodable, status: Int = 200) -> HTTPResponse {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let body = try? encoder.encode(value) else { return HTTPResponse(status: 500) }
    return HTTPResponse(status: status, headers: [HTTPField("content-type", "application/json")], body: Array(body))
  }

  static func error(_ error: GatewayError) -> HTTPResponse {
    struct Body: Encodable {
      struct Content: Encodable {
        let number: Int
        let name: String
        let message: String
      }
      let error: Content
    }
    return json(
      Body(error: .init(number: error.number, name: error.name, message: error.message)), status: error.httpStatus)
  }

  /// The request's body as a value; an empty body is an empty object. A member that it does not have is refused by name:
  /// an order whose members are misspelt would be another order.
  static func body<Body: ControlBody>(_ request: HTTPRequest, _ expected: String) throws(GatewayError) -> Body {
    let bytes = Data(request.body.isEmpty ? Array("{}".utf8) : request.body)
    let names: [String]
    let body: Body
    do {
      names = try JSONDecoder().decode(MemberNames.self, from: bytes).names
    } catch {
      throw .malformedRequest.detailed("expected a JSON object \(expected)")
    }
    try refuseStrangers(among: names, known: Body.CodingKeys.allCases.map(\.stringValue), "member")
    do {
      body = try JSONDecoder().decode(Body.self, from: bytes)
    } catch {
      throw .malformedRequest.detailed("expected a JSON object \(expected)")
    }
    return body
  }

  /// Refuses what is none of `known`, by name.
  static func refuseStrangers(among names: [String], known: [String], _ kind: String) throws(GatewayError) {
    let known = known.map { Name($0) }
    guard let stranger = names.first(where: { !known.contains(Name($0)) }) else { return }
    let choice = known.isEmpty ? "there is none" : "there is \(known.map(\.text).joined(separator: ", "))"
    throw .invalidParameter.detailed("no \(kind) is called '\(stranger.prefix(nameLengthMax))'; \(choice)")
  }

  /// No longer part of a peer's name is repeated.
  private static let nameLengthMax = 64

  /// The names of an object's members.
  private struct MemberNames: Decodable {
    let names: [String]

    private struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }

      init?(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      names = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue).sorted()
    }
  }
}
