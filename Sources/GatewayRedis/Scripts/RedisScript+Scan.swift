extension RedisScript {
  /// Reads a range, in its order or backwards.
  ///
  /// `ARGV`: the bounds of the range; 1 for backwards; the most rows; the time. Returns the path to go on after, or nothing at
  /// the end; then a path and a row in turn.
  static let scanBody = #"""
    local lower, upper, limit = ARGV[1], ARGV[2], tonumber(ARGV[4])
    local high, low = unpack_bytes('>I4I4', ARGV[5])
    local index, answer, pages = index_key(sub(lower, 2)), {''}, 0
    while #answer <= 2 * limit do
      -- More expired rows than this are left for another call, so that no call takes long.
      if pages == 4 then
        answer[1] = sub(ARGV[3] == '1' and upper or lower, 2)
        break
      end
      pages = pages + 1
      local wanted = limit - (#answer - 1) / 2
      local page
      if ARGV[3] == '1' then page = call('ZREVRANGEBYLEX', index, upper, lower, 'LIMIT', 0, wanted)
      else page = call('ZRANGEBYLEX', index, lower, upper, 'LIMIT', 0, wanted) end
      if #page == 0 then break end
      local found = call('HMGET', rows_key, unpack(page))
      for number, path in ipairs(page) do
        local bytes = found[number]
        local row = bytes and (parse(bytes, 8) or damaged)
        if row and is_alive(row, high, low) then
          answer[#answer + 1] = path
          answer[#answer + 1] = bytes
        end
      end
      if ARGV[3] == '1' then upper = '(' .. page[#page] else lower = '(' .. page[#page] end
      if #page < wanted then break end
    end
    return answer
    """#

  /// Moves a row that cannot be read, `ARGV[1]`, to the hash of damaged rows. Returns whether it was still there, with the
  /// content `ARGV[2]`. `ARGV[3]` is the lease, or nothing.
  static let setAsideBody = #"""
    if ARGV[3] ~= '' and call('GET', prefix .. ':lease') ~= ARGV[3] then return 2 end
    local path = ARGV[1]
    local bytes = call('HGET', rows_key, path)
    if bytes ~= ARGV[2] then return 0 end
    call('HSET', prefix .. ':damaged', path, bytes)
    remove(path, parse(bytes, 8) or damaged)
    keep_tallies()
    return 1
    """#
}
