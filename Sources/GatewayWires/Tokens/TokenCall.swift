internal import GatewayCore

/// A request of a described token endpoint.
struct TokenCall: Sendable {
  /// A URL of the request. A client always uses the same one.
  struct Address: Sendable {
    /// The number of its place; nil for a path below the URL on the command line.
    let place: EndpointPlace?
    let target: Template
  }

  let method: String
  let addresses: [Address]
  let headers: [(name: String, value: Template)]
  let body: RequestBody

  private static let methods = ["GET", "POST", "PUT", "PATCH"]
  private static let addressesMax = 32

  init(_ described: Described, _ names: HoleNames) throws(DescriptionError) {
    let call = try described.object(["method", "url", "headers", "json", "form", "text"])
    let url = try call.required("url", example: "\"/api/token/\"")
    addresses = try url.oneOrMore().map { (url) throws(DescriptionError) in try Self.address(url, names) }
    guard (1...Self.addressesMax).contains(addresses.count) else {
      throw url.error("1 to \(Self.addressesMax) URLs, of which a client keeps to one")
    }
    headers = try HeaderFields.read(call["headers"], names)
    body = try RequestBody(call, described, names)
    let method = try call["method"]?.text() ?? "POST"
    guard Self.methods.contains(method) else {
      throw (call["method"] ?? described).unknown(method, "method", among: Self.methods)
    }
    if method == "GET", let body = RequestBody.kinds.lazy.compactMap({ call[$0] }).first {
      throw body.error("a GET carries no body; \"method\": \"POST\", or put it into \"url\"")
    }
    self.method = method
  }

  /// All templates of the request.
  private var templates: [Template] {
    return addresses.map(\.target) + headers.map(\.value) + body.templates
  }

  var holes: Set<Hole> { Set(templates.flatMap(\.holes)) }

  // MARK: Reading

  private static func address(_ described: Described, _ names: HoleNames) throws(DescriptionError) -> Address {
    let url = try described.text()
    guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
      throw described.error("a URL has no spaces, no #, and nothing beyond ASCII; %20 stands for a space")
    }
    if let (place, rest) = EndpointPlace.split(url) {
      let target = rest.hasPrefix("/") ? String(rest) : "/" + rest
      return Address(place: place, target: try Template(target, at: described, names, .url))
    }
    guard url.hasPrefix("/"), !url.hasPrefix("//") else {
      throw described.error(
        "'\(url)' is no URL; expected one as \"https://id.example/token\", whose host has no holes, "
          + "or a path as \"/token\", below --provider")
    }
    return Address(place: nil, target: try Template(url, at: described, names, .url))
  }

  // MARK: Writing

  /// Returns the request to the URL with that number.
  func request(_ choice: Int, from source: some HoleSource) throws(HoleError) -> HTTPRequest {
    var fields: [HTTPField] = []
    for (name, value) in headers {
      fields.append(HTTPField(name, try value.text(from: source, refusing: [0x0D, 0x0A, 0])))
    }
    let (type, bytes) = try body.written(from: source)
    if let type, !fields.contains(where: { $0.name == "content-type" }) {
      fields.append(HTTPField("content-type", type))
    }
    let path = try addresses[choice].target.text(from: source)
    return HTTPRequest(method: method, path: path, headers: fields, body: bytes)
  }
}
