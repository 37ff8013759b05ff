internal import GatewayCore

/// The upgrade request of a described wire: `/socket?token={{token}}`, for instance.
struct WireConnect: Sendable {
  let path: Template
  let query: [(name: String, value: Template)]
  let headers: [(name: String, value: Template)]
  let subprotocols: [Template]

  init(_ described: Described, _ names: HoleNames) throws(DescriptionError) {
    let connect = try described.object(["path", "query", "headers", "subprotocols"])
    let path = try connect.required("path", example: "\"/socket\"")
    guard try path.text().hasPrefix("/"), try !path.text().contains("?") else {
      throw path.error("a path begins with / and has no query; that stands under \"query\"")
    }
    self.path = try Template(url: path, names)
    query = try Self.pairs(connect["query"], names)
    headers = try Self.pairs(connect["headers"], names)
    for (name, _) in headers where name.utf8.isEmpty || !name.utf8.allSatisfy(Self.isToken) {
      throw described.error("'\(name)' is no name of a header field")
    }
    subprotocols =
      try connect["subprotocols"]?.elements().map { (element) throws(DescriptionError) in
        try Template(element, names)
      } ?? []
  }

  private static func isToken(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
  }

  private static func pairs(
    _ described: Described?, _ names: HoleNames
  ) throws(DescriptionError) -> [(name: String, value: Template)] {
    try described?.members().map { (member) throws(DescriptionError) in
      (member.name, try Template(member.value, names))
    } ?? []
  }

  /// The request. A hole that nothing fills, or that would end a header field, makes the field be left out: the gateway
  /// refuses it.
  func upgrade(_ source: some HoleSource) -> ClientUpgrade {
    var request = HTTPRequest(method: "GET", path: (try? path.text(from: source)) ?? "/")
    for (name, value) in query {
      if let value = try? value.text(from: source) { request.query.append(HTTPField(name, value)) }
    }
    for (name, value) in headers {
      if let value = try? value.text(from: source, refusing: [0x0D, 0x0A, 0]) {
        request.headers.append(HTTPField(name.lowercased(), value))
      }
    }
    let subprotocols = subprotocols.compactMap { try? $0.text(from: source, refusing: [0x0D, 0x0A, 0, 0x2C]) }
    return ClientUpgrade(request, subprotocols: subprotocols)
  }
}
