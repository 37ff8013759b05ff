internal import GatewayCore

/// The resource that shows the processes of the store, `GET /nodes`.
struct NodesRoute {
  let nodes: ControlSite.Nodes

  var route: HTTPRoute {
    HTTPRoute("GET", "/nodes") { [nodes] _, _ in ControlAnswer.json(NodePage(nodes: await nodes())) }
  }
}
