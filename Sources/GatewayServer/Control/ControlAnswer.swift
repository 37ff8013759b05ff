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
    let members: MemberNames
    let body: Body
    do {
      members = try JSONDecoder().decode(MemberNames.self, from: bytes)
    } catch {
      throw .malformedRequest.detailed("expected a JSON object \(expected)")
    }
    try refuseStrangers(among: members.names, known: Body.CodingKeys.allCases.map(\.stringValue), "member")
    // A decoder takes null for a member that is missing, and an order without it is another order.
    if let empty = members.nulls.first { throw .invalidParameter.detailed("\(empty) is null; leave it out, or say it") }
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

  /// The names of an object's members, and of those that are null.
  private struct MemberNames: Decodable {
    let names: [String]
    let nulls: [String]

    private struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }

      init?(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      names = container.allKeys.map(\.stringValue).sorted()
      nulls = try container.allKeys.filter { try container.decodeNil(forKey: $0) }.map(\.stringValue).sorted()
    }
  }
}
