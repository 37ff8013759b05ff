package import GatewayCore

// Requests to the control port that one node passes on to others.

/// The answers of other nodes to a request.
package struct NodeResponses: Sendable {
  /// A node with what it answered.
  package struct Answer: Sendable {
    package let life: NodeBoot
    package let name: String
    package let response: NodeResponse
  }

  /// In the order of the nodes' numbers.
  package var answers: [Answer] = []
  /// The names of the nodes that did not answer in time, or could not.
  package var missing: [String] = []
}

extension Gateway {
  /// Has `answer` answer the requests that other nodes pass on, if there can be any. It runs on the first loop, and returns nil
  /// if there is no answer that may be sent.
  package func answerNodes(by answer: @escaping @Sendable (NodeRequest) async -> NodeResponse?) {
    nodes?.control = answer
  }

  /// The processes that are or may be nodes of this gateway, with their names, by their lives; empty if there can be one only.
  package var nodeNames: [NodeBoot: String] { nodes?.known ?? [:] }

  /// Passes a request on to its target, or to every other node. Waits at most two seconds for the answers.
  package func ask(_ request: NodeRequest) async -> NodeResponses {
    guard let nodes else { return NodeResponses() }
    let known = nodes.known
    let replies = await nodes.ask(.request(request), isOrder: request.target != nil && request.method != "GET")
    var responses = NodeResponses(missing: nodes.names(of: replies.missing))
    for (life, reply) in replies.answers.sorted(by: { $0.key.node < $1.key.node }) {
      guard case .response(let response) = reply else { continue }
      responses.answers.append(.init(life: life, name: known[life] ?? life.description, response: response))
    }
    return responses
  }
}
