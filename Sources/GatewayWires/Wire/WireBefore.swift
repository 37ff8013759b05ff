internal import GatewayCore
internal import GatewayJSON

/// The values for the answer to a request before an upgrade, which has no connection yet.
private struct BeforeHoles: HoleSource {
  let name: String
  let now: WallTime

  func value(of hole: Hole) -> String? {
    switch hole {
    case .connection, .random: name
    case .nowSeconds: "\(now.nanoseconds / 1_000_000_000)"
    case .nowMilliseconds: "\(now.nanoseconds / 1_000_000)"
    default: nil
    }
  }
}

/// The HTTP request before each connect on a described wire, e.g. SignalR's `POST /hub/negotiate`, whose answer names
/// the connection.
struct WireBefore: Sendable {
  let method: String
  let path: Template
  let query: [(name: String, value: Template)]
  let headers: [(name: String, value: Template)]
  let body: RequestBody
  /// The values taken from the answer, all of them required.
  let taking: [(slot: Int, pointer: JSONPointer, name: String)]

  private static let methods = ["GET", "POST"]
  private static let bodyMax = 1 << 20
  private static let takenMax = 4096

  /// The gateway's answer, if the description plays the gateway.
  let example: Template
  /// Its place in the file.
  let described: Described

  static let keys = ["method", "path", "query", "headers", "json", "form", "text", "take", "as"]

  init(_ described: Described, _ names: HoleNames) throws(DescriptionError) {
    self.described = described
    let before = try described.object(Self.keys)
    let method = try before["method"]?.text() ?? "POST"
    guard Self.methods.contains(method) else {
      throw (before["method"] ?? described).unknown(method, "method", among: Self.methods)
    }
    self.method = method
    // The values that this request takes are not available yet.
    var asking = names
    asking.taken = []
    asking.sent = []
    asking.takenNeeds = "this request is the first; what it takes serves \"connect\" and \"say\""
    path = try WireConnect.path(before, of: described, asking)
    query = try WireConnect.pairs(before["query"], asking)
    headers = try HeaderFields.read(before["headers"], asking)
    body = try RequestBody(before, described, asking)
    if method == "GET", let body = RequestBody.kinds.lazy.compactMap({ before[$0] }).first {
      throw body.error("a GET carries no body; \"method\": \"POST\", or \"query\"")
    }
    taking =
      try before["take"]?.members().map { (entry) throws(DescriptionError) in
        guard WireRule.Meaning(rawValue: entry.name) == nil else {
          throw entry.value.error("'\(entry.name)' has a meaning for messages only; another name for {{taken.NAME}}")
        }
        return (names.taken.firstIndex(of: entry.name) ?? 0, try JSONPointer(entry.value), entry.name)
      } ?? []
    var answering = asking
    answering.words.formUnion(HoleNames.gateway)
    example =
      try before["as"].map { (example) throws(DescriptionError) in
        try WireMessage.template(example, try example.object(["json", "text"]), answering)
      } ?? Template()
    try checkExample(before["as"])
  }

  /// Throws unless the example contains the values to take.
  private func checkExample(_ described: Described?) throws(DescriptionError) {
    guard let described else { return }
    var bytes: [UInt8] = []
    guard (try? example.write(to: &bytes, from: ExampleSource())) != nil else { return }
    if let name = take(from: HTTPResponse(status: 200, headers: [], body: bytes), into: nil) {
      throw described.error("nothing to take as '\(name)' is in it")
    }
  }

  /// All templates of the request.
  var templates: [Template] { [path] + query.map(\.value) + headers.map(\.value) + body.templates }

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

  /// Returns a gateway's answer: the example, or an object with a value for everything that is taken.
  ///
  /// - Parameter name: The value for what is taken, and for `{{connection}}`.
  func answer(naming name: String, at now: WallTime) -> [UInt8] {
    let source = BeforeHoles(name: name, now: now)
    var bytes: [UInt8] = []
    if !example.pieces.isEmpty, (try? example.write(to: &bytes, from: source)) != nil { return bytes }
    return JSONWriter.object { json in
      for (_, pointer, _) in taking { pointer.write(source.name, to: &json) }
    }
  }

  /// Takes the values from the answer; returns the name of the first missing one.
  func take(from response: HTTPResponse, into memory: ClientMemory?) -> String? {
    let root = (try? JSONDocument.parse(response.body, sizeMax: Self.bodyMax))?.root
    for (slot, pointer, name) in taking {
      guard let root, let text = pointer.find(in: root)?.scalarText, text.utf8.count <= Self.takenMax else {
        return name
      }
      if let memory, memory.taken.indices.contains(slot) { memory.taken[slot] = text }
    }
    return nil
  }
}
