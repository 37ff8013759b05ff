internal import GatewayCore
internal import GatewayJSON

/// A client's HTTP request to the gateway on a described wire: before each connect, e.g. SignalR's `POST
/// /hub/negotiate`, or to renew an open connection.
struct WireRequest: Sendable {
  /// The occasion of the request.
  enum Purpose: Sendable {
    case connect, renewal
  }

  /// A value that is taken from the answer.
  struct Taking: Sendable {
    enum Place: Hashable, Sendable {
      case slot(Int)
      case meaning(WireRule.Meaning)
      /// The new token.
      case token
    }

    let place: Place
    let pointer: JSONPointer
    let name: String
  }

  /// The content of an accepting answer.
  struct Content: Sendable {
    var token: String?
    /// The life of the token, from now.
    var life: Duration?
    /// The name of the first required value that is missing.
    var lacking: String?
  }

  let purpose: Purpose
  let method: String
  let path: Template
  let query: [(name: String, value: Template)]
  let headers: [(name: String, value: Template)]
  let body: RequestBody
  /// The values taken from the answer. All are required, except the life of a token.
  let taking: [Taking]
  /// The gateway's answer, if the description plays the gateway.
  let example: Template
  /// The pattern by which a gateway recognises the body; nil if it is not JSON.
  let pattern: MessagePattern?
  /// Its place in the file.
  let described: Described

  private static let methods = ["GET", "POST", "PUT", "PATCH"]
  static let bodyMax = 1 << 20
  private static let takenMax = 4096
  /// The longest token that is taken from an answer or a message, in bytes.
  static let tokenMax = 1 << 16

  static let keys = ["method", "path", "query", "headers", "json", "form", "text", "take", "as"]

  init(_ described: Described, _ names: HoleNames, for purpose: Purpose) throws(DescriptionError) {
    self.purpose = purpose
    self.described = described
    let request = try described.object(Self.keys)
    let method = try request["method"]?.text() ?? "POST"
    guard Self.methods.contains(method) else {
      throw (request["method"] ?? described).unknown(method, "method", among: Self.methods)
    }
    self.method = method
    var asking = names
    if purpose == .connect {
      // The values that this request takes are not available yet.
      asking.taken = []
      asking.sent = []
      asking.takenNeeds = "this request is the first; what it takes serves \"connect\" and \"say\""
    }
    path = try WireConnect.path(request, of: described, asking)
    query = try WireConnect.pairs(request["query"], asking)
    headers = try HeaderFields.read(request["headers"], asking)
    body = try RequestBody(request, described, asking)
    pattern = try request["json"].map { (json) throws(DescriptionError) in try MessagePattern(json: json, asking) }
    if method == "GET", let body = RequestBody.kinds.lazy.compactMap({ request[$0] }).first {
      throw body.error("a GET carries no body; \"method\": \"POST\", or \"query\"")
    }
    taking =
      try request["take"]?.members().map { (entry) throws(DescriptionError) in
        Taking(
          place: try Self.place(entry.name, entry.value, purpose, names), pointer: try JSONPointer(entry.value),
          name: entry.name)
      } ?? []
    var answering = asking
    answering.words.formUnion(HoleNames.gateway)
    example =
      try request["as"].map { (example) throws(DescriptionError) in
        try WireMessage.template(example, try example.object(["json", "text"]), answering)
      } ?? Template()
    try checkExample(request["as"])
  }

  private static func place(
    _ name: String, _ described: Described, _ purpose: Purpose, _ names: HoleNames
  ) throws(DescriptionError) -> Taking.Place {
    if purpose == .renewal, name == tokenName { return .token }
    if let meaning = WireRule.Meaning(rawValue: name) {
      guard purpose == .renewal, meaning.isOfLife else {
        throw described.error("'\(name)' has a meaning for messages only; another name for {{taken.NAME}}")
      }
      return .meaning(meaning)
    }
    return .slot(names.taken.firstIndex(of: name) ?? 0)
  }

  /// The name under which a renewal takes the new token.
  static let tokenName = "token"

  /// Returns whether a renewal takes the value under that name for a purpose of its own, so that it is no `{{taken.NAME}}`.
  static func hasMeaning(_ name: String) -> Bool { name == tokenName || WireRule.Meaning(rawValue: name) != nil }

  /// Throws unless the example contains the values to take.
  private func checkExample(_ described: Described?) throws(DescriptionError) {
    guard let described else { return }
    var bytes: [UInt8] = []
    guard (try? example.write(to: &bytes, from: ExampleSource())) != nil else { return }
    let response = HTTPResponse(status: 200, headers: [], body: bytes)
    if let name = take(from: response, into: nil, at: WallTime(nanoseconds: 0)).lacking {
      throw described.error("nothing to take as '\(name)' is in it")
    }
  }

  /// Whether its answer brings the new token.
  var takesToken: Bool { taking.contains { $0.place == .token } }

  /// All templates of the request.
  var templates: [Template] { [path] + query.map(\.value) + headers.map(\.value) + body.templates }

  /// Whether it shows the gateway a token.
  var showsToken: Bool { templates.contains { $0.holes.contains(.token) } }

  /// Returns the request; nil if a hole cannot be filled.
  func request(_ source: some HoleSource) -> HTTPRequest? {
    guard let target = try? path.text(from: source), let (type, bytes) = try? body.written(from: source) else {
      return nil
    }
    var parameters: [HTTPField] = []
    for (name, value) in query {
      guard let value = try? value.text(from: source) else { return nil }
      parameters.append(HTTPField(name, value))
    }
    var fields: [HTTPField] = []
    for (name, value) in headers {
      guard let value = try? value.text(from: source, refusing: [0x0D, 0x0A, 0]) else { return nil }
      fields.append(HTTPField(name, value))
    }
    if let type, !fields.contains(where: { $0.name == "content-type" }) {
      fields.append(HTTPField("content-type", type))
    }
    return HTTPRequest(method: method, path: target, query: parameters, headers: fields, body: bytes)
  }

  /// Takes the values from an accepting answer.
  func take(from response: HTTPResponse, into memory: ClientMemory?, at now: WallTime) -> Content {
    var content = Content()
    guard !taking.isEmpty else { return content }
    let root = (try? JSONDocument.parse(response.body, sizeMax: Self.bodyMax))?.root
    for value in taking {
      let text = root.flatMap { value.pointer.find(in: $0)?.scalarText }
      switch value.place {
      case .meaning(let meaning): content.life = text.flatMap { meaning.duration(of: $0, at: now) }
      case .token:
        content.token = text.flatMap { Self.isToken($0) ? $0 : nil }
        if content.token == nil { content.lacking = content.lacking ?? value.name }
      case .slot(let slot):
        guard let text, text.utf8.count <= Self.takenMax else {
          content.lacking = content.lacking ?? value.name
          continue
        }
        if let memory, memory.taken.indices.contains(slot) { memory.taken[slot] = text }
      }
    }
    return content
  }

  /// Returns whether a text from a gateway may be a token: not empty, not too long, and without control characters.
  static func isToken(_ text: String) -> Bool {
    (1...tokenMax).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}
