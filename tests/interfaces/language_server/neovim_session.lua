-- A person in Neovim: opens a file, makes a slip, completes a reference, renames a tool, saves everything.
-- PAPER_LSP is the command of the server, PAPER_REPORT the file that says what was seen.
local seen = {}

local function wait(what, holds)
  if not vim.wait(60000, holds, 20) then
    seen.failure = "waited in vain for " .. what
    vim.fn.writefile({ vim.json.encode(seen) }, vim.env.PAPER_REPORT)
    vim.cmd("cquit")
  end
end

local function codes()
  local found = {}
  for _, each in ipairs(vim.diagnostic.get(0)) do
    table.insert(found, { code = each.code, line = each.lnum + 1, column = each.col + 1 })
  end
  return found
end

local function place(words, offset)
  local line = vim.fn.search("\\V" .. words, "w")
  local column = vim.fn.col(".")
  vim.api.nvim_win_set_cursor(0, { line, column - 1 + offset })
end

local client = vim.lsp.start_client({ name = "paper", cmd = vim.json.decode(vim.env.PAPER_LSP), root_dir = vim.fn.getcwd() })
vim.cmd("edit find.md")
vim.lsp.buf_attach_client(0, client)
wait("the server", function() return #vim.lsp.buf_get_clients(0) == 1 end)

-- a slip, and its diagnostic
vim.cmd("%s/tool: search_files/tool: search_fils/")
wait("the diagnostic", function() return #vim.diagnostic.get(0) == 1 end)
seen.slip = codes()
vim.cmd("undo")
wait("no diagnostic", function() return #vim.diagnostic.get(0) == 0 end)

-- completion of a reference, in a text that is not closed yet
vim.cmd([[%s/"{{read_file.output.text}}"/"{{find.output./]])
place("{{find.output.", 0)
vim.api.nvim_win_set_cursor(0, { vim.fn.line("."), #vim.fn.getline(".") })
local params = vim.lsp.util.make_position_params()
params.position.character = #vim.fn.getline(".")
local answer = vim.lsp.buf_request_sync(0, "textDocument/completion", params, 30000)
seen.completion = {}
for _, item in ipairs(answer[client].result.items) do
  table.insert(seen.completion, item.label)
end
vim.cmd("undo")

-- the tool gets another name in every file
place("tool: shorten", #"tool: sh")
vim.lsp.buf.rename("cut")
wait("the new name", function() return vim.fn.search("tool: cut", "nw") > 0 end)
vim.cmd("wall")
vim.fn.writefile({ vim.json.encode(seen) }, vim.env.PAPER_REPORT)
vim.cmd("qall!")
