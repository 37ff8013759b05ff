internal import GatewayCore
internal import GatewayFaults
internal import GatewayJSON
internal import GatewayRuntime

/// The resources of a gateway's faults: to list, order and remove them.
struct FaultRoutes {
  let gateway: any Controllable
  /// The faults; nil if none may be ordered.
  let book: FaultBook?

  var routes: [HTTPRoute] {
    [
      HTTPRoute("GET", "/faults") { _, _ in
        answer { book throws(GatewayError) in FaultList(faults: book.standing.map { FaultBody($0, in: book) }) }
      },
      HTTPRoute("POST", "/faults") { request, _ in
        answer(status: 201) { book throws(GatewayError) in
          let fault = try book.add(try FaultOrder.read(json: request.body))
          gateway.log(.info, "fault", [.init("fault", fault.word), .init("number", String(fault.number))])
          return FaultBody(fault, in: book)
        }
      },
      HTTPRoute("DELETE", "/faults") { _, _ in
        answer { book throws(GatewayError) in WithdrawnFaults(faults: book.removeAll()) }
      },
      HTTPRoute("DELETE", "/faults/{number}") { _, parameters in
        answer { book throws(GatewayError) in try Self.remove(parameters["number"], from: book) }
      },
      HTTPRoute("GET", "/faults/known") { _, _ in Self.json(KnownFaults(book?.policy)) },
    ]
  }

  private func answer<Answer: Encodable>(
    status: Int = 200, _ body: (FaultBook) throws(GatewayError) -> Answer
  ) -> HTTPResponse {
    do throws(GatewayError) {
      guard let book else {
        throw .notFound.detailed("the gateway is to have no faults; start it with --faults")
      }
      return Self.json(try body(book), status: status)
    } catch {
      return ControlAnswer.error(error)
    }
  }

  private static func json(_ answer: some Encodable, status: Int = 200) -> HTTPResponse {
    ControlAnswer.json(answer, status: status, layout: .compact)
  }

  private static func remove(_ text: String, from book: FaultBook) throws(GatewayError) -> FaultBody {
    guard let number = UInt32(text), let fault = book.standing.first(where: { $0.number == number }),
      book.remove(number)
    else { throw .notFound.detailed("no fault has the number '\(text)' now; GET /faults lists them") }
    return FaultBody(fault, in: book)
  }
}
