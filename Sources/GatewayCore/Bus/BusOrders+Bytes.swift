// The orders and questions of operators, as bytes between nodes.

extension Saying {
  func write(to writer: inout BusWriter) {
    switch self {
    case .frame(let frame):
      writer.put(frame.kind == .text ? 1 : 2 as UInt8)
      writer.put(frame.payload)
    case .refreshRequest: writer.put(3 as UInt8)
    }
  }

  init(_ reader: inout BusReader) throws(BusGarbage) {
    switch try reader.number(UInt8.self) {
    case 1: self = .frame(Frame(.text, try reader.bytes()))
    case 2: self = .frame(Frame(.binary, try reader.bytes()))
    case 3: self = .refreshRequest
    default: throw BusGarbage()
    }
  }
}

extension SpreadOrder {
  func write(to writer: inout BusWriter) {
    sessions.write(to: &writer)
    writer.put(from)
    writer.put(before)
    writer.put(over) { $0.put($1) }
  }

  init(_ reader: inout BusReader) throws(BusGarbage) {
    self.init(
      try SessionFilter(&reader), from: try reader.time(), before: try reader.time(),
      over: try reader.optional { (reader) throws(BusGarbage) in try reader.duration() })
  }
}

extension HorizonReading {
  func write(to writer: inout BusWriter) {
    // Most seconds have none.
    writer.put(all: seconds.enumerated().filter { $0.element > 0 }) { writer, second in
      writer.put(UInt16(clamping: second.offset))
      writer.put(second.element)
    }
    writer.put(UInt32(clamping: overdue))
    writer.put(UInt32(clamping: later))
  }

  init(_ reader: inout BusReader) throws(BusGarbage) {
    self.init()
    var next = 0
    let counts = try reader.all { (reader) throws(BusGarbage) in
      (place: Int(try reader.number(UInt16.self)), count: try reader.number(UInt32.self))
    }
    for (place, count) in counts {
      guard (next..<Self.secondsMax).contains(place), count > 0 else { throw BusGarbage() }
      seconds[place] = count
      next = place + 1
    }
    overdue = Int(try reader.number(UInt32.self))
    later = Int(try reader.number(UInt32.self))
  }
}

extension NodeRequest {
  func write(to writer: inout BusWriter) {
    writer.put(target) { $0.put($1) }
    writer.put(method)
    writer.put(path)
    writer.put(all: query) { $0.put($1) }
    writer.put(contentType) { $0.put($1) }
    writer.put(body)
    writer.put(all: caller) { $0.put($1) }
  }

  init(_ reader: inout BusReader) throws(BusGarbage) {
    target = try reader.optional { (reader) throws(BusGarbage) in try reader.life() }
    (method, path) = (try reader.text(), try reader.text())
    query = try reader.all { (reader) throws(BusGarbage) in try reader.field() }
    contentType = try reader.optional { (reader) throws(BusGarbage) in try reader.text() }
    body = try reader.bytes()
    caller = try reader.all { (reader) throws(BusGarbage) in try reader.field() }
  }
}

extension NodeResponse {
  func write(to writer: inout BusWriter) {
    writer.put(UInt16(clamping: status))
    writer.put(all: headers) { $0.put($1) }
    writer.put(body)
  }

  init(_ reader: inout BusReader) throws(BusGarbage) {
    self.init(
      status: Int(try reader.number(UInt16.self)),
      headers: try reader.all { (reader) throws(BusGarbage) in try reader.field() }, body: try reader.bytes())
  }
}

extension SessionFilter {
  func write(to writer: inout BusWriter) {
    writer.put(user) { $0.put($1) }
    writer.put(dialects) { writer, dialects in writer.put(all: dialects) { $0.put($1) } }
    writer.put(connections) { writer, connections in writer.put(all: connections) { $0.put($1) } }
    writer.put(except) { $0.put($1) }
    writer.put(issuer) { $0.put($1) }
    writer.put(fingerprint) { $0.put($1) }
    writer.put(form) { $0.put($1.rawValue) }
    writer.put(issuedBefore) { $0.put($1) }
    writer.put(takesAnonymous ? 1 : 0 as UInt8)
  }

  init(_ reader: inout BusReader) throws(BusGarbage) {
    self.init()
    user = try reader.optional { (reader) throws(BusGarbage) in try reader.user() }
    dialects = try reader.optional { (reader) throws(BusGarbage) in
      Set(try reader.all { (reader) throws(BusGarbage) in try reader.text() })
    }
    connections = try reader.optional { (reader) throws(BusGarbage) in
      Set(try reader.all { (reader) throws(BusGarbage) in try reader.connection() })
    }
    except = try reader.optional { (reader) throws(BusGarbage) in try reader.connection() }
    issuer = try reader.optional { (reader) throws(BusGarbage) in Name(try reader.text()) }
    fingerprint = try reader.optional { (reader) throws(BusGarbage) in try reader.fingerprint() }
    form = try reader.optional { (reader) throws(BusGarbage) in
      guard let form = TokenForm(rawValue: try reader.text()) else { throw BusGarbage() }
      return form
    }
    issuedBefore = try reader.optional { (reader) throws(BusGarbage) in try reader.time() }
    takesAnonymous = try reader.number(UInt8.self) == 1
  }
}
