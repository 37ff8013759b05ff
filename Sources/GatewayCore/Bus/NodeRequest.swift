/// A request to the control port of a node, which another one passes on.
package struct NodeRequest: Hashable, Sendable {
  /// The boot of the process that must answer; nil for every process.
  package var target: NodeBoot?
  package var method: String
  /// The path, percent-encoded.
  package var path: String
  package var query: [HTTPField]
  package var contentType: String?
  package var body: [UInt8]
  /// Its sender, as the log names them.
  package var caller: [HTTPField]

  package init(
    to target: NodeBoot? = nil, _ method: String, _ path: String, query: [HTTPField] = [], contentType: String? = nil,
    body: [UInt8] = [], caller: [HTTPField] = []
  ) {
    (self.target, self.method, self.path, self.query) = (target, method, path, query)
    (self.contentType, self.body, self.caller) = (contentType, body, caller)
  }
}

/// A node's answer to a ``NodeRequest``.
package struct NodeResponse: Hashable, Sendable {
  /// The maximum size of a body, in bytes. A node does not answer with more.
  package static let bodyBytesMax = 1 << 20

  package var status: Int
  package var headers: [HTTPField]
  package var body: [UInt8]

  package init(status: Int, headers: [HTTPField], body: [UInt8]) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }
}
