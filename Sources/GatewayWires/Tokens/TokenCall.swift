internal import GatewayCore

/// One of an endpoint's requests as it is described: `POST /api/token/` with a user and a password, for instance.
struct TokenCall: Sendable {
  /// A URL of the request, of which a client keeps to one.
  struct Address: Sendable {
    /// The number of its place; nil for below the address that the command line names.
    let place: EndpointPlace?
    let target: Template
  }

  enum Body: Sendable {
    case none
    case json(Template)
    case text(Template)
    case form([(name: String, value: Template)])
  }

  let method: String
  let addresses: [Address]
  let headers: [(name: String, value: Template)]
  let body: Body

  private static let methods = ["GET", "POST", "PUT", "PATCH"]
  private static let addressesMax = 32
  /// What the program writes by itself.
  private static let ownFields = [
    "content-length", "connection", "transfer-encoding", "host", "user-agent", "postern-storm",
  ]

  init(_ described: Described, _ names: HoleNames) throws(DescriptionError) {
    let call = try described.object(["method", "url", "headers", "json", "form", "text"])
    let url = try call.required("url", example: "\"/api/token/\"")
    addresses = try url.oneOrMore().map { (url) throws(DescriptionError) in try Self.address(url, names) }
    guard (1...Self.addressesMax).contains(addresses.count) else {
      throw url.error("1 to \(Self.addressesMax) URLs, of which a client keeps to one")
    }
    headers = try Self.headers(call["headers"], names)
    let bodies = ["json", "form", "text"].filter { call[$0] != nil }
    guard bodies.count <= 1 else {
      throw described.error("\(bodies.map { "\"\($0)\"" }.joined(separator: " and ")) are given; one of them is meant")
    }
    if let json = call["json"] {
      body = .json(try Template(json: json, names))
    } else if let text = call["text"] {
      body = .text(try Template(text, names))
    } else if let form = call["form"] {
      body = .form(
        try form.members().map { (member) throws(DescriptionError) in
          (PercentEncoding.encode(member.name), try Template(form: member.value, names))
        })
    } else {
      body = .none
    }
    let method = try call["method"]?.text() ?? "POST"
    guard Self.methods.contains(method) else {
      throw (call["method"] ?? described).unknown(method, "method", among: Self.methods)
    }
    if method == "GET", let body = bodies.first.flatMap({ call[$0] }) {
      throw body.error("a GET carries no body; \"method\": \"POST\", or put it into \"url\"")
    }
    self.method = method
  }

  /// Every template of the request.
  private var templates: [Template] {
    let said: [Template] =
      switch body {
      case .none: []
      case .json(let template), .text(let template): [template]
      case .form(let members): members.map(\.value)
      }
    return addresses.map(\.target) + headers.map(\.value) + said
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

  private static func headers(
    _ described: Described?, _ names: HoleNames
  ) throws(DescriptionError) -> [(name: String, value: Template)] {
    try described?.members().map { (member) throws(DescriptionError) in
      guard !member.name.utf8.isEmpty, member.name.utf8.allSatisfy(Self.isToken) else {
        throw member.value.error("'\(member.name)' is no name of a header field")
      }
      guard !ownFields.contains(member.name.lowercased()) else {
        throw member.value.error("postern writes this field itself; leave it out")
      }
      return (member.name.lowercased(), try Template(member.value, names))
    } ?? []
  }

  private static func isToken(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
  }

  // MARK: Saying

  /// The request to the `choice`-th address.
  func request(_ choice: Int, from source: some HoleSource) throws(HoleError) -> HTTPRequest {
    var fields: [HTTPField] = []
    for (name, value) in headers {
      fields.append(HTTPField(name, try value.text(from: source, refusing: [0x0D, 0x0A, 0])))
    }
    var bytes: [UInt8] = []
    var type: String?
    switch body {
    case .none: break
    case .json(let template):
      try template.write(to: &bytes, from: source)
      type = "application/json"
    case .text(let template):
      try template.write(to: &bytes, from: source)
      type = "text/plain; charset=utf-8"
    case .form(let members):
      for (index, member) in members.enumerated() {
        bytes += Array("\(index > 0 ? "&" : "")\(member.name)=".utf8)
        try member.value.write(to: &bytes, from: source)
      }
      type = "application/x-www-form-urlencoded"
    }
    if let type, !fields.contains(where: { $0.name == "content-type" }) {
      fields.append(HTTPField("content-type", type))
    }
    let path = try addresses[choice].target.text(from: source)
    return HTTPRequest(method: method, path: path, headers: fields, body: bytes)
  }
}
