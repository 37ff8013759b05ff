extension BusQuestion {
  func write(to writer: inout BusWriter) {
    switch self {
    case .connected(let users):
      writer.put(1 as UInt8)
      writer.put(all: users) { $0.put($1) }
    case .sessionCount(let dialect):
      writer.put(2 as UInt8)
      writer.put(dialect)
    case .user(let connection):
      writer.put(3 as UInt8)
      writer.put(connection)
    case .watch(let call, let connection), .unwatch(let call, let connection):
      if case .watch = self { writer.put(4 as UInt8) } else { writer.put(5 as UInt8) }
      writer.put(call)
      writer.put(connection)
    case .audience(let call):
      writer.put(6 as UInt8)
      writer.put(call)
    case .hearers(let call):
      writer.put(7 as UInt8)
      writer.put(call)
    case .control(let filter, let order):
      writer.put(8 as UInt8)
      filter.write(to: &writer)
      order.write(to: &writer)
    case .order(let target, let order):
      writer.put(9 as UInt8)
      target.write(to: &writer)
      order.write(to: &writer)
    case .revoke(let target, let isEnding):
      writer.put(10 as UInt8)
      target.write(to: &writer)
      writer.put(isEnding ? 1 : 0 as UInt8)
    case .sessions: writer.put(11 as UInt8)
    case .covered(let target, let order):
      writer.put(12 as UInt8)
      target.write(to: &writer)
      order.write(to: &writer)
    case .say(let target, let saying):
      writer.put(13 as UInt8)
      target.write(to: &writer)
      saying.write(to: &writer)
    case .horizon: writer.put(14 as UInt8)
    case .spread(let order, let number):
      writer.put(15 as UInt8)
      writer.put(number)
      order.write(to: &writer)
    case .takeBackSpread(let number):
      writer.put(16 as UInt8)
      writer.put(number)
    case .request(let request):
      writer.put(17 as UInt8)
      request.write(to: &writer)
    }
  }

  init(_ reader: inout BusReader) throws(BusGarbage) {
    switch try reader.number(UInt8.self) {
    case 1: self = .connected(try reader.all { (reader) throws(BusGarbage) in try reader.user() })
    case 2: self = .sessionCount(dialect: try reader.text())
    case 3: self = .user(try reader.connection())
    case 4: self = .watch(try reader.call(), try reader.connection())
    case 5: self = .unwatch(try reader.call(), try reader.connection())
    case 6: self = .audience(try reader.call())
    case 7: self = .hearers(try reader.call())
    case 8: self = .control(try SessionFilter(&reader), try SessionOrder(&reader))
    case 9: self = .order(try OrderTarget(&reader), try SessionOrder(&reader))
    case 10: self = .revoke(try Revocations.Target(&reader), isEnding: try reader.number(UInt8.self) == 1)
    case 11: self = .sessions
    case 12: self = .covered(try Revocations.Target(&reader), try SessionOrder(&reader))
    case 13: self = .say(try OrderTarget(&reader), try Saying(&reader))
    case 14: self = .horizon
    case 15:
      let number: UInt64 = try reader.number()
      self = .spread(try SpreadOrder(&reader), number: number)
    case 16: self = .takeBackSpread(try reader.number())
    case 17: self = .request(try NodeRequest(&reader))
    default: throw BusGarbage()
    }
  }
}

extension BusAnswer {
  func write(to writer: inout BusWriter) {
    switch self {
    case .count(let count):
      writer.put(1 as UInt8)
      writer.put(UInt32(clamping: count))
    case .users(let users):
      writer.put(2 as UInt8)
      writer.put(all: users) { $0.put($1) }
    case .failed: writer.put(3 as UInt8)
    case .said(let told, let wordless):
      writer.put(4 as UInt8)
      writer.put(UInt32(clamping: told))
      writer.put(UInt32(clamping: wordless))
    case .horizon(let reading, let time):
      writer.put(5 as UInt8)
      reading.write(to: &writer)
      writer.put(time)
    case .spread(let sessions, let over):
      writer.put(6 as UInt8)
      writer.put(UInt32(clamping: sessions))
      writer.put(over.nanoseconds)
    case .response(let response):
      writer.put(7 as UInt8)
      response.write(to: &writer)
    case .nothing: writer.put(8 as UInt8)
    }
  }

  init(_ reader: inout BusReader) throws(BusGarbage) {
    switch try reader.number(UInt8.self) {
    case 1: self = .count(Int(try reader.number(UInt32.self)))
    case 2: self = .users(try reader.all { (reader) throws(BusGarbage) in try reader.user() })
    case 3: self = .failed
    case 4: self = .said(told: Int(try reader.number(UInt32.self)), wordless: Int(try reader.number(UInt32.self)))
    case 5: self = .horizon(try HorizonReading(&reader), at: try reader.time())
    case 6: self = .spread(sessions: Int(try reader.number(UInt32.self)), over: try reader.duration())
    case 7: self = .response(try NodeResponse(&reader))
    case 8: self = .nothing
    default: throw BusGarbage()
    }
  }
}

extension OrderTarget {
  fileprivate func write(to writer: inout BusWriter) {
    switch self {
    case .everybody: writer.put(1 as UInt8)
    case .user(let user):
      writer.put(2 as UInt8)
      writer.put(user)
    case .connection(let connection):
      writer.put(3 as UInt8)
      writer.put(connection)
    }
  }

  fileprivate init(_ reader: inout BusReader) throws(BusGarbage) {
    switch try reader.number(UInt8.self) {
    case 1: self = .everybody
    case 2: self = .user(try reader.user())
    case 3: self = .connection(try reader.connection())
    default: throw BusGarbage()
    }
  }
}

extension SessionOrder {
  fileprivate func write(to writer: inout BusWriter) {
    switch self {
    case .expire: writer.put(1 as UInt8)
    case .ask: writer.put(2 as UInt8)
    case .revoke: writer.put(3 as UInt8)
    case .disconnect(let reason):
      writer.put(4 as UInt8)
      writer.put(reason.code)
      writer.put(reason.name)
    }
  }

  fileprivate init(_ reader: inout BusReader) throws(BusGarbage) {
    switch try reader.number(UInt8.self) {
    case 1: self = .expire
    case 2: self = .ask
    case 3: self = .revoke
    case 4:
      guard let reason = CloseReason(code: try reader.number(), name: try reader.text()) else { throw BusGarbage() }
      self = .disconnect(reason)
    default: throw BusGarbage()
    }
  }
}

extension Revocations.Target {
  fileprivate func write(to writer: inout BusWriter) {
    switch self {
    case .token(let fingerprint, let expiresAt):
      writer.put(1 as UInt8)
      writer.put(fingerprint)
      writer.put(expiresAt) { $0.put($1) }
    case .user(let user, let before):
      writer.put(2 as UInt8)
      writer.put(user)
      writer.put(before)
    case .everybody(let before):
      writer.put(3 as UInt8)
      writer.put(before)
    case .session(let session, let before):
      writer.put(4 as UInt8)
      writer.put(session.hash)
      writer.put(before)
    }
  }

  fileprivate init(_ reader: inout BusReader) throws(BusGarbage) {
    switch try reader.number(UInt8.self) {
    case 1:
      self = .token(
        try reader.fingerprint(), expiresAt: try reader.optional { (reader) throws(BusGarbage) in try reader.time() })
    case 2: self = .user(try reader.user(), issuedBefore: try reader.time())
    case 3: self = .everybody(issuedBefore: try reader.time())
    case 4: self = .session(LoginSession(hash: try reader.number()), issuedBefore: try reader.time())
    default: throw BusGarbage()
    }
  }
}
