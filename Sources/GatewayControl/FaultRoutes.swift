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
        answer { book throws(GatewayError) in Self.list(book) }
      },
      HTTPRoute("POST", "/faults") { request, _ in
        answer(status: 201) { book throws(GatewayError) in
          let fault = try book.add(try FaultOrder.read(json: request.body))
          gateway.log(.info, "fault", [.init("fault", fault.word), .init("number", String(fault.number))])
          return Self.body(fault, book)
        }
      },
      HTTPRoute("DELETE", "/faults") { _, _ in
        answer { book throws(GatewayError) in
          let count = book.removeAll()
          return JSONWriter.object { $0.member("faults", Int64(count)) }
        }
      },
      HTTPRoute("DELETE", "/faults/{number}") { _, parameters in
        answer { book throws(GatewayError) in try Self.remove(parameters["number"], from: book) }
      },
      HTTPRoute("GET", "/faults/known") { _, _ in Self.response(Self.known(by: book), 200) },
    ]
  }

  private func answer(status: Int = 200, _ body: (FaultBook) throws(GatewayError) -> [UInt8]) -> HTTPResponse {
    do throws(GatewayError) {
      guard let book else {
        throw .notFound.detailed("the gateway is to have no faults; start it with --faults")
      }
      return Self.response(try body(book), status)
    } catch {
      return ControlAnswer.error(error)
    }
  }

  private static func response(_ body: [UInt8], _ status: Int) -> HTTPResponse {
    HTTPResponse(status: status, headers: [HTTPField("content-type", "application/json")], body: body)
  }

  private static func remove(_ text: String, from book: FaultBook) throws(GatewayError) -> [UInt8] {
    guard let number = UInt32(text), let fault = book.standing.first(where: { $0.number == number }),
      book.remove(number)
    else { throw .notFound.detailed("no fault has the number '\(text)' now; GET /faults lists them") }
    return body(fault, book)
  }

  // MARK: JSON

  private static func list(_ book: FaultBook) -> [UInt8] {
    JSONWriter.object { json in
      json.name("faults")
      json.beginArray()
      for fault in book.standing { write(fault, book, to: &json) }
      json.endArray()
    }
  }

  private static func body(_ fault: StandingFault, _ book: FaultBook) -> [UInt8] {
    var json = JSONWriter()
    write(fault, book, to: &json)
    return json.bytes
  }

  private static func write(_ fault: StandingFault, _ book: FaultBook, to json: inout JSONWriter) {
    json.beginObject()
    json.member("number", Int64(fault.number))
    json.member("fault", fault.word)
    json.member("befell", Int64(fault.count))
    json.name("over")
    json.bool(fault.isOver(at: book.loop.now))
    json.name("order")
    json.raw(fault.order.text)
    json.endObject()
  }

  /// All faults that the book takes, with an example of an order for each.
  private static func known(by book: FaultBook?) -> [UInt8] {
    JSONWriter.object { json in
      json.name("faults")
      json.beginArray()
      for fault in Faults.all where book?.policy?.refusal(of: fault) == nil {
        json.beginObject()
        json.member("fault", fault.word)
        json.member("summary", fault.summary)
        json.name("members")
        json.beginArray()
        for name in fault.members { json.string(name) }
        json.endArray()
        json.name("example")
        json.raw(book?.policy?.example(of: fault) ?? fault.example)
        json.endObject()
      }
      json.endArray()
    }
  }
}
