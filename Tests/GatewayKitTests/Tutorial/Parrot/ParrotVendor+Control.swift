import GatewayCore
import GatewayJSON
import GatewayKit

// Actions of an operator: on the control port, and by `postern ctl`.

extension ParrotVendor {
  var controlRoutes: [HTTPRoute] {
    let group = RouteGroup { (error: GatewayError) in
      HTTPResponse(status: error.httpStatus, json: JSONWriter.object { $0.member("error", error) })
    }
    return [
      group.route("POST", "/parrot/forget") { [cage, services] request, _ throws(GatewayError) in
        let word = try JSONObject.read(request.body) { (body) throws(GatewayError) in try body.word() }
        guard try await cage.forget(word, at: services.wallTime) else {
          throw .notFound.detailed("the parrot does not know this word")
        }
        return HTTPResponse(status: 200, json: JSONWriter.object { $0.member("forgot", word) })
      }
    ]
  }

  static let controlActions = [
    ControlAction("parrot-forget", "let the parrot forget a word", operand: "WORD", example: "parrot-forget hello") {
      call in
      .post("/parrot/forget", [JSONMember("word", call.operand)])
    }
  ]
}
