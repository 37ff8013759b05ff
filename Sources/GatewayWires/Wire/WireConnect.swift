internal import GatewayCore

/// The upgrade request of a described wire, e.g. `/socket?token={{token}}`.
struct WireConnect: Sendable {
  let path: Template
  let query: [(name: String, value: Template)]
  let headers: [(name: String, value: Template)]
  let subprotocols: [Template]

  init(_ described: Described, _ names: HoleNames) throws(DescriptionError) {
    let connect = try described.object(["path", "query", "headers", "subprotocols"])
    path = try Self.path(connect, of: described, names)
    query = try Self.pairs(connect["query"], names)
    headers = try HeaderFields.read(connect["headers"], names)
    subprotocols =
      try connect["subprotocols"]?.elements().map { (element) throws(DescriptionError) in
        try Template(element, names)
      } ?? []
  }

  /// Returns the path of an object that has one.
  static func path(
    _ object: DescribedObject, of described: Described, _ names: HoleNames
  ) throws(DescriptionError) -> Template {
    let path = try object.required("path", example: "\"/socket\"")
    let text = try path.text()
    guard text.hasPrefix("/"), !text.contains("?"), !text.contains("#") else {
      throw path.error("a path begins with / and has no query; that stands under \"query\"")
    }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw path.error("a path has no spaces and nothing beyond ASCII; %20 stands for a space")
    }
    return try Template(url: path, names)
  }

  /// All templates of the request.
  var templates: [Template] { [path] + query.map(\.value) + headers.map(\.value) + subprotocols }

  static func pairs(
    _ described: Described?, _ names: HoleNames
  ) throws(DescriptionError) -> [(name: String, value: Template)] {
    try described?.members().map { (member) throws(DescriptionError) in
      (member.name, try Template(member.value, names))
    } ?? []
  }

  /// Returns the request. A field is left out if its placeholder has no value, or a value that would end the field; the
  /// gateway then refuses it.
  func upgrade(_ source: some HoleSource) -> ClientUpgrade {
    var request = HTTPRequest(method: "GET", path: (try? path.text(from: source)) ?? "/")
    for (name, value) in query {
      if let value = try? value.text(from: source) { request.query.append(HTTPField(name, value)) }
    }
    for (name, value) in headers {
      if let value = try? value.text(from: source, refusing: [0x0D, 0x0A, 0]) {
        request.headers.append(HTTPField(name, value))
      }
    }
    let subprotocols = subprotocols.compactMap { try? $0.text(from: source, refusing: [0x0D, 0x0A, 0, 0x2C]) }
    return ClientUpgrade(request, subprotocols: subprotocols)
  }
}
