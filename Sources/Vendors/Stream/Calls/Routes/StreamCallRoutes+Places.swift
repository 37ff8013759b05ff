internal import GatewayCore
internal import GatewayJSON

// Locations of clients, and the statistics that clients report.

extension StreamCallRoutes {
  var placeRoutes: [HTTPRoute] {
    rest.resource("GET", .video("edges"), "GetEdges", .anonymous) { _ throws(StreamError) in
      StreamAnswer(200) { $0.member("edges", strings: []) }
    }
      + rest.resource("POST", .video("call_client_event"), "ReportClientCallEvent", .open) { _ throws(StreamError) in
        StreamAnswer(201)
      }
      + [HTTPRoute("GET", "/") { _, _ in locationHint }]
  }

  /// The answer of `https://hint.stream-io-video.com/` to `HEAD` and `GET`: the location is the first three letters of
  /// the point of presence. Other clients that ask for `/` only need a 200.
  private var locationHint: HTTPResponse {
    var response = HTTPResponse(status: 200, contentType: "text/plain; charset=utf-8", text: "")
    response.headers.append(HTTPField("x-amz-cf-pop", calls.policy.pointOfPresence))
    response.headers.append(HTTPField("access-control-expose-headers", "x-amz-cf-pop"))
    return response
  }
}
